// tls.h - the TLS contexts of both ports: certificates and keys from the settings.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "mayfly/result.h"
#include "server/config/config.h"

namespace mayfly::server {

// `clients`: the setting that says whether clients must show a certificate. Invalid, naming the file,
// when one is missing or malformed.
Result<std::unique_ptr<boost::asio::ssl::context>> NewTlsContext(const Config& config,
                                                                 Setting clients);

}  // namespace mayfly::server
