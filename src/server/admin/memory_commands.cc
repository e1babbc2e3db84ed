// memory_commands.cc - MEMORY, but for USAGE, which is about a key.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/admin/admin_handlers.h"
#include "server/admin/memory_figures.h"
#include "server/session/gathered_statistics.h"

namespace mayfly::server::admin {

namespace {

std::string Advice(Server& server) {
  const DataLimit& limit = server.data_limit();
  if (!limit.on()) return "maxmemory is not set: nothing is evicted.";
  const std::string state = fmt::format("{} of {} bytes are stored.", limit.bytes(), limit.max());
  return limit.refuses() ? state + " Commands that add are refused: nothing can be evicted."
                         : state;
}

using Figure = std::pair<std::string_view, std::variant<std::int64_t, double>>;

std::int64_t Signed(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

double Rate(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
}

// What follows from the figures of the process alone.
std::vector<Figure> DerivedFigures(const MemoryFigures& memory) {
  const auto beyond = [](std::uint64_t more, std::uint64_t less) {
    return Signed(more) - Signed(less);
  };
  // clang-format off
  return {
      {"allocator-fragmentation.ratio", Rate(memory.active_bytes, memory.allocated_bytes)},
      {"allocator-fragmentation.bytes", beyond(memory.active_bytes, memory.allocated_bytes)},
      {"allocator-rss.ratio",           Rate(memory.resident_bytes, memory.active_bytes)},
      {"allocator-rss.bytes",           beyond(memory.resident_bytes, memory.active_bytes)},
      {"rss-overhead.ratio",            1.0},
      {"rss-overhead.bytes",            std::int64_t{0}},
      {"fragmentation",                 Rate(memory.resident_bytes, memory.allocated_bytes)},
      {"fragmentation.bytes",           beyond(memory.resident_bytes, memory.allocated_bytes)},
  };
  // clang-format on
}

}  // namespace

Answer MemoryDoctor(Call& call) {
  const MemoryFigures memory = ReadMemoryFigures();
  call.reply.Verbatim(
      "txt", fmt::format(
                 "The process holds {} bytes. What it keeps of the rows is bounded by memory-rows, "
                 "the engine's buffers by memory-profile, and what may be stored by maxmemory. {}",
                 memory.resident_bytes, Advice(ServerOf(call))));
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
  MAYFLY_TRY(const Statistics statistics, GatherStatistics(server));
  const MemoryFigures memory = ReadMemoryFigures();
  std::uint64_t keys = 0;
  for (const KeyspaceStatistics& keyspace : statistics.keyspaces) keys += keyspace.rows;
  const std::uint64_t clients = ClientsMemory(server);
  const ScriptFigures scripts = server.script_figures();
  const std::uint64_t overhead = clients + scripts.lua_bytes + scripts.kept_bytes;
  constexpr double kPercent = 100;
  constexpr std::int64_t kNone = 0;
  // clang-format off
  std::vector<Figure> figures = {
      {"peak.allocated",      Signed(memory.peak_bytes)},
      {"total.allocated",     Signed(memory.allocated_bytes)},
      {"startup.allocated",   kNone},
      {"replication.backlog", kNone},
      {"clients.slaves",      kNone},
      {"clients.normal",      Signed(clients)},
      {"cluster.links",       kNone},
      {"aof.buffer",          kNone},
      {"lua.caches",          Signed(scripts.lua_bytes + scripts.kept_bytes)},
      {"functions.caches",    kNone},
      {"overhead.total",      Signed(overhead)},
      {"keys.count",          Signed(keys)},
      {"keys.bytes-per-key",  Signed(statistics.memory_bytes / std::max<std::uint64_t>(keys, 1))},
      {"dataset.bytes",       Signed(statistics.memory_bytes)},
      {"dataset.percentage",  kPercent * Rate(statistics.memory_bytes, memory.allocated_bytes)},
      {"peak.percentage",     kPercent * Rate(memory.allocated_bytes, memory.peak_bytes)},
      {"disk.bytes",          Signed(statistics.disk_bytes)},
      {"allocator.allocated", Signed(memory.allocated_bytes)},
      {"allocator.active",    Signed(memory.active_bytes)},
      {"allocator.resident",  Signed(memory.resident_bytes)},
  };
  // clang-format on
  for (Figure& figure : DerivedFigures(memory)) figures.push_back(std::move(figure));
  call.reply.Map(figures.size());
  for (const auto& [name, value] : figures) {
    call.reply.Bulk(name);
    if (const auto* const rate = std::get_if<double>(&value)) {
      call.reply.Double(*rate);
    } else {
      call.reply.Integer(std::get<std::int64_t>(value));
    }
  }
  return {};
}

}  // namespace mayfly::server::admin
