// module_commands.cc - MODULE: there are none.
#include "server/admin/admin_handlers.h"
#include "server/command/manual/help.h"

namespace mayfly::server::admin {

Answer ModuleHelp(Call& call) {
  static constexpr std::string_view kLines[] = {
      "LIST",
      "    Return an empty list: modules are not offered.",
  };
  WriteHelp(call.reply, "MODULE", kLines);
  return {};
}

Answer ModuleList(Call& call) {
  call.reply.Array(0);
  return {};
}

}  // namespace mayfly::server::admin
