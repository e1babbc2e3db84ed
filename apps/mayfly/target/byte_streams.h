// byte_streams.h - connections over TCP, TLS and unix sockets.
#pragma once

#include <memory>

#include "apps/mayfly/target/resp_client.h"

namespace mayfly::app {

// `timeout` bounds the connection and the handshake of TLS, each; looking the host's name up has the
// system's own bound.
Result<std::unique_ptr<ByteStream>> OpenStream(const ServerUrl& url, const TlsOptions& tls,
                                               Millis timeout);

}  // namespace mayfly::app
