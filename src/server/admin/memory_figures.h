// memory_figures.h - what the system says about this process, and what clients take of it.
#pragma once

#include <cstdint>

namespace mayfly::server {
class Server;
}  // namespace mayfly::server

namespace mayfly::server::admin {

struct MemoryFigures {
  std::uint64_t allocated_bytes = 0;  // Of the heap, and in use.
  std::uint64_t resident_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t system_bytes = 0;  // Of the machine.
};

// Zeros where the system does not tell.
MemoryFigures ReadMemoryFigures();

// What all clients take, subscribers included.
std::uint64_t ClientsMemory(Server& server);

}  // namespace mayfly::server::admin
