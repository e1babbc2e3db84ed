// time_command.cc - TIME: the database's time.
#include <string>

#include "server/admin/admin_handlers.h"

namespace mayfly::server::admin {

Answer Time(Call& call) {
  constexpr std::int64_t kMsPerSecond = 1000;
  constexpr std::int64_t kMicrosPerMs = 1000;
  // The time that rows live and die by, also where the machine's clock reads otherwise; within a
  // transaction or script it stands still.
  const std::int64_t ms =
      ToMs(call.frozen_now ? *call.frozen_now : ServerOf(call).database().clock_report().now);
  call.reply.Array(2);
  call.reply.Bulk(std::to_string(ms / kMsPerSecond));
  call.reply.Bulk(std::to_string(ms % kMsPerSecond * kMicrosPerMs));
  return {};
}

}  // namespace mayfly::server::admin
