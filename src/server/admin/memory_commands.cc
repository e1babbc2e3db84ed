// memory_commands.cc - MEMORY, but for USAGE, which is about a key.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

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
  const auto rate = [](std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
  };
  constexpr double kPercent = 100;
  // clang-format off
  const std::pair<std::string_view, std::uint64_t> figures[] = {
      {"peak.allocated",      memory.peak_bytes},
      {"total.allocated",     memory.allocated_bytes},
      {"startup.allocated",   0},
      {"replication.backlog", 0},
      {"clients.slaves",      0},
      {"clients.normal",      clients},
      {"cluster.links",       0},
      {"aof.buffer",          0},
      {"lua.caches",          scripts.lua_bytes + scripts.kept_bytes},
      {"functions.caches",    0},
      {"overhead.total",      clients + scripts.lua_bytes + scripts.kept_bytes},
      {"keys.count",          keys},
      {"keys.bytes-per-key",  statistics.memory_bytes / std::max<std::uint64_t>(keys, 1)},
      {"dataset.bytes",       statistics.memory_bytes},
      {"disk.bytes",          statistics.disk_bytes},
      {"allocator.allocated", memory.allocated_bytes},
      {"allocator.active",    memory.active_bytes},
      {"allocator.resident",  memory.resident_bytes},
  };
  const std::pair<std::string_view, double> rates[] = {
      {"dataset.percentage",            kPercent * rate(statistics.memory_bytes, memory.allocated_bytes)},
      {"peak.percentage",               kPercent * rate(memory.allocated_bytes, memory.peak_bytes)},
      {"allocator-fragmentation.ratio", rate(memory.active_bytes, memory.allocated_bytes)},
      {"allocator-rss.ratio",           rate(memory.resident_bytes, memory.active_bytes)},
      {"rss-overhead.ratio",            1},
      {"fragmentation",                 rate(memory.resident_bytes, memory.allocated_bytes)},
  };
  const auto beyond = [](std::uint64_t more, std::uint64_t less) {
    return static_cast<std::int64_t>(more) - static_cast<std::int64_t>(less);
  };
  const std::pair<std::string_view, std::int64_t> differences[] = {
      {"allocator-fragmentation.bytes", beyond(memory.active_bytes, memory.allocated_bytes)},
      {"allocator-rss.bytes",           beyond(memory.resident_bytes, memory.active_bytes)},
      {"rss-overhead.bytes",            0},
      {"fragmentation.bytes",           beyond(memory.resident_bytes, memory.allocated_bytes)},
  };
  // clang-format on
  call.reply.Map(std::size(figures) + std::size(rates) + std::size(differences));
  for (const auto& [name, value] : figures) {
    call.reply.Bulk(name);
    call.reply.Integer(static_cast<std::int64_t>(value));
  }
  for (const auto& [name, value] : rates) {
    call.reply.Bulk(name);
    call.reply.Double(value);
  }
  for (const auto& [name, value] : differences) {
    call.reply.Bulk(name);
    call.reply.Integer(value);
  }
  return {};
}

}  // namespace mayfly::server::admin
