// tls.h - the TLS context: certificates and keys from the settings.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "mayfly/result.h"
#include "server/config/config.h"

namespace mayfly::server {

// Invalid, naming the file, when one is missing or malformed.
Result<std::unique_ptr<boost::asio::ssl::context>> NewTlsContext(const Config& config);

}  // namespace mayfly::server
