#include "engine/hot/index/row_reader.h"

namespace mayfly::engine::hot {

// Every version up to the one that an open state needs is kept for it, so the walk is safe.
RowRead RowReader::ReadOlder(Handle version, Sequence state, std::string& out,
                             RowImage& image) const {
  while (version != 0) {
    const VersionBlock& block = VersionAt(arena_, version);
    if (SequenceOf(block.state.load(std::memory_order_acquire)) <= state) {
      return CopyVersion(version, 0, out, image);
    }
    version = block.older.load(std::memory_order_acquire);
  }
  return RowRead::kNothing;
}

RowRead RowReader::CopyVersion(Handle version, Sequence until, std::string& out,
                               RowImage& image) const {
  const VersionBlock& block = VersionAt(arena_, version);
  const std::uint64_t seen = block.state.load(std::memory_order_acquire);
  const std::size_t size = block.value_bytes.load(std::memory_order_acquire);
  image = {.sequence = SequenceOf(seen), .flags = FlagsOf(seen)};
  if (seen & kTombstone) return RowRead::kDeleted;
  const std::byte* value = block.value();
  Handle external = 0;
  if (seen & kExternal) external = static_cast<Handle>(LoadWord(value));
  // What was read so far may be of a block that was freed; it must not be followed then.
  if (until != 0 && states_.visible() >= until) return RowRead::kUnpublished;
  if (external != 0) {
    value = arena_.At(external);
    if (until == 0) {
      image.external = PlainBytes(value, size);
      return RowRead::kValue;
    }
  }
  const std::size_t base = out.size();
  out.resize(base + size);
  CopyOut(value, out.data() + base, size);
  return RowRead::kValue;
}

}  // namespace mayfly::engine::hot
