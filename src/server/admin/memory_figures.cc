#include "server/admin/memory_figures.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "server/session/server.h"
#include "server/session/session.h"

namespace mayfly::server::admin {

MemoryFigures ReadMemoryFigures() {
  MemoryFigures figures;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size_pages = 0;
  std::uint64_t resident_pages = 0;
  if (statm >> size_pages >> resident_pages) figures.resident_bytes = resident_pages * page;
  const struct mallinfo2 heap = ::mallinfo2();
  figures.allocated_bytes = heap.uordblks + heap.hblkhd;
  figures.active_bytes = heap.arena + heap.hblkhd;
  rusage usage{};
  constexpr std::uint64_t kKiB = 1024;
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    figures.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * kKiB;
  }
  figures.peak_bytes = std::max(figures.peak_bytes, figures.allocated_bytes);
  figures.system_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page;
  return figures;
}

std::uint64_t ClientsMemory(Server& server) {
  std::uint64_t bytes = 0;
  for (const auto& session : server.clients().All()) bytes += session->info().memory_bytes();
  return bytes;
}

}  // namespace mayfly::server::admin
