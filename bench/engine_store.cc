#include "engine_store.h"

#include "engine/memory/memory_engine.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::bench {

std::size_t EngineStore::Scan(Bytes start, std::size_t rows, Direction direction) const {
  const std::unique_ptr<engine::Cursor> cursor = Must(engine_->NewCursor(kRows));
  std::size_t bytes = 0;
  if (direction == Direction::kForward) {
    cursor->SeekAtOrAfter(start);
    for (std::size_t i = 0; i < rows; ++i) {
      if (!cursor->Valid()) cursor->SeekToFirst();
      bytes += cursor->key().size() + cursor->value().size();
      cursor->Next();
    }
  } else {
    cursor->SeekAtOrBefore(start);
    for (std::size_t i = 0; i < rows; ++i) {
      if (!cursor->Valid()) cursor->SeekToLast();
      bytes += cursor->key().size() + cursor->value().size();
      cursor->Prev();
    }
  }
  Must(cursor->status());
  return bytes;
}

MemoryStore::MemoryStore(const std::string&) : EngineStore(engine::NewMemoryEngine()) {}

RocksStore::RocksStore(const std::string& directory)
    : EngineStore(Must(engine::OpenRocksEngine({.directory = directory}))) {}

}  // namespace mayfly::bench
