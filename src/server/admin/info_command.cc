// info_command.cc - INFO.
#include "server/admin/admin_handlers.h"
#include "server/admin/info_sections.h"

namespace mayfly::server::admin {

Answer Info(Call& call) {
  std::vector<std::string> sections;
  for (const Bytes section : call.args.subspan(1)) sections.emplace_back(section);
  call.reply.Verbatim("txt", InfoText(ServerOf(call), sections));
  return {};
}

}  // namespace mayfly::server::admin
