#include "server/admin/info_sections.h"
#include "server/admin/own_handlers.h"

namespace mayfly::server::own {

Answer Info(Call& call) {
  std::vector<std::string> sections;
  for (const Bytes section : call.args.subspan(1)) sections.emplace_back(section);
  call.reply.Verbatim("txt", InfoText(ServerOf(call), sections));
  return {};
}

}  // namespace mayfly::server::own
