// byte_streams.h - connections over TCP, TLS and unix sockets.
#pragma once

#include <memory>

#include "apps/mayfly/target/resp_client.h"

namespace mayfly::app {

Result<std::unique_ptr<ByteStream>> OpenStream(const ServerUrl& url, const TlsOptions& tls);

}  // namespace mayfly::app
