#include "capi/memory.h"

#include "mayfly/c.h"

namespace mayfly::capi {

Malloced<void> Allocate(std::size_t size) {
  Malloced<void> memory(std::malloc(size > 0 ? size : 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

Malloced<void> Copy(Bytes bytes) {
  Malloced<void> memory = Allocate(bytes.size() + 1);
  auto* const out = static_cast<char*>(memory.get());
  out[bytes.copy(out, bytes.size())] = '\0';
  return memory;
}

}  // namespace mayfly::capi

void mayfly_free(void* memory) noexcept { std::free(memory); }
