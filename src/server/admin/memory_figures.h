// memory_figures.h - memory of this process, as the system reports it, and of the clients.
#pragma once

#include <cstdint>

namespace mayfly::server {
class Server;
}  // namespace mayfly::server

namespace mayfly::server::admin {

struct MemoryFigures {
  std::uint64_t allocated_bytes = 0;  // Of the heap, in use.
  std::uint64_t active_bytes = 0;     // Of the heap, taken from the system.
  std::uint64_t resident_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t system_bytes = 0;  // Of the machine.
};

// Zeros where the system does not report them.
MemoryFigures ReadMemoryFigures();

// The memory of all clients, subscribers included.
std::uint64_t ClientsMemory(Server& server);

}  // namespace mayfly::server::admin
