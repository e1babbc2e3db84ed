// lolwut_command.cc - LOLWUT: the version.
#include <fmt/format.h>

#include "server/admin/admin_handlers.h"
#include "server/admin/redis_version.h"

namespace mayfly::server::admin {

Answer Lolwut(Call& call) {
  call.reply.Verbatim("txt", fmt::format("   \\ | /\n"
                                         "  --(o)--==<\n"
                                         "   / | \\\n\n"
                                         "A mayfly lives for a day. Redis ver. {}, mayfly {}\n",
                                         kRedisVersion, ServerOf(call).version()));
  return {};
}

}  // namespace mayfly::server::admin
