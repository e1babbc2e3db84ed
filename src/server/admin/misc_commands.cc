// misc_commands.cc - TIME, MONITOR, LOLWUT, MODULE, and MEMORY but for USAGE.
#include <fmt/format.h>
#include <malloc.h>

#include "server/admin/admin_handlers.h"
#include "server/admin/memory_figures.h"
#include "server/admin/redis_version.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/help.h"

namespace mayfly::server::admin {

Answer Time(Call& call) {
  constexpr std::int64_t kMsPerSecond = 1000;
  constexpr std::int64_t kMicrosPerMs = 1000;
  // The clock by which rows die, even where the machine's clock differs; within a transaction or
  // script it stands still.
  const std::int64_t ms =
      ToMs(call.frozen_now ? *call.frozen_now : ServerOf(call).database().clock_report().now);
  call.reply.Array(2);
  call.reply.Bulk(std::to_string(ms / kMsPerSecond));
  call.reply.Bulk(std::to_string(ms % kMsPerSecond * kMicrosPerMs));
  return {};
}

Answer Lolwut(Call& call) {
  call.reply.Verbatim("txt", fmt::format("   \\ | /\n"
                                         "  --(o)--==<\n"
                                         "   / | \\\n\n"
                                         "A mayfly lives for a day. Redis ver. {}, mayfly {}\n",
                                         kRedisVersion, ServerOf(call).version()));
  return {};
}

Answer Monitor(Call& call) {
  Session& session = SessionOf(call);
  if (!session.state().monitors) {
    session.state().monitors = true;
    ServerOf(call).monitors().Add(session.shared_from_this());
  }
  call.reply.Ok();
  return {};
}

Answer ModuleList(Call& call) {
  call.reply.Array(0);
  return {};
}

Answer ModuleHelp(Call& call) {
  static constexpr std::string_view kLines[] = {
      "LIST",
      "    Return an empty list: modules are not offered.",
  };
  WriteHelp(call.reply, "MODULE", kLines);
  return {};
}

Answer MemoryDoctor(Call& call) {
  const MemoryFigures memory = ReadMemoryFigures();
  call.reply.Verbatim(
      "txt", fmt::format("The process holds {} bytes. Values live in files; what is in memory are "
                         "the engine's buffers, bounded by memory-profile, and the clients'.",
                         memory.resident_bytes));
  return {};
}

Answer MemoryMallocStats(Call& call) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const file = ::open_memstream(&text, &size);
  if (file == nullptr || ::malloc_info(0, file) != 0) {
    if (file != nullptr) std::fclose(file);
    return Status::IoError("the allocator tells nothing");
  }
  std::fclose(file);
  call.reply.Verbatim("txt", Bytes(text, size));
  std::free(text);
  return {};
}

Answer MemoryPurge(Call& call) {
  ::malloc_trim(0);
  call.reply.Ok();
  return {};
}

Answer MemoryStats(Call& call) {
  Server& server = ServerOf(call);
  MAYFLY_TRY(const Statistics statistics, server.database().GetStatistics());
  const MemoryFigures memory = ReadMemoryFigures();
  std::uint64_t keys = 0;
  for (const KeyspaceStatistics& keyspace : statistics.keyspaces) keys += keyspace.rows;
  // clang-format off
  const std::pair<std::string_view, std::uint64_t> figures[] = {
      {"peak.allocated",  memory.peak_bytes},
      {"total.allocated", memory.resident_bytes},
      {"clients.normal",  ClientsMemory(server)},
      {"keys.count",      keys},
      {"dataset.bytes",   statistics.memory_bytes},
      {"disk.bytes",      statistics.disk_bytes},
  };
  // clang-format on
  call.reply.Map(std::size(figures));
  for (const auto& [name, value] : figures) {
    call.reply.Bulk(name);
    call.reply.Integer(static_cast<std::int64_t>(value));
  }
  return {};
}

}  // namespace mayfly::server::admin
