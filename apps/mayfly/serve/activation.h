// activation.h - the sockets that systemd passes to a service it starts (sd_listen_fds(3)).
#pragma once

#include <vector>

#include "mayfly/result.h"
#include "server/net/passed_socket.h"

namespace mayfly::app {

// Takes them from the environment, so that no child takes them again: descriptors from 3 on, as many
// as LISTEN_FDS says, if LISTEN_PID is this process. LISTEN_FDNAMES tells what each is for: "http",
// "tls", and the Redis protocol for every other name. Invalid when a number is none.
Result<std::vector<server::PassedSocket>> TakePassedSockets();

}  // namespace mayfly::app
