// memory_commands.cc - MEMORY, but for USAGE, which is about a key.
#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>

#include "server/admin/admin_handlers.h"
#include "server/admin/memory_figures.h"

namespace mayfly::server::admin {

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
