// monitor_command.cc - MONITOR: shows a client every command that runs.
#include "server/admin/admin_handlers.h"

namespace mayfly::server::admin {

Answer Monitor(Call& call) {
  Session& session = SessionOf(call);
  if (!session.state().monitors) {
    session.state().monitors = true;
    ServerOf(call).monitors().Add(session.shared_from_this());
  }
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server::admin
