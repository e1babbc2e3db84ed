// row_reader.h - reads a row as a state shows it, while writers go on.
// Two kinds of readers: one of an open state, whose versions are kept for it, and one of the newest
// state, which nobody knows of. The latter can meet a change that is not visible yet over a version
// that was not kept: it has to wait until the change is published.
#pragma once

#include <string>

#include "engine/hot/index/open_states.h"
#include "engine/hot/index/row.h"
#include "engine/hot/index/slab_arena.h"
#include "engine/hot/index/words.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

enum class RowRead {
  kValue,
  kDeleted,      // A tombstone: the key is absent, whatever the cold store has.
  kNothing,      // The row has no version in this state.
  kChanged,      // The row left its place: look for it again.
  kUnpublished,  // Wait for RowImage::sequence.
};

struct RowImage {
  Sequence sequence = 0;
  Flags flags = 0;
  // A value in a block of its own, for open states: it stays until the state is closed. Other
  // values were copied.
  Bytes external = {};
};

class RowReader {
 public:
  RowReader(const SlabArena& arena, const OpenStates& states) : arena_(arena), states_(states) {}

  // Appends the value to `out`. `is_current` tells whether the row still is where it was found.
  template <typename IsCurrent>
  RowRead Read(Handle handle, Sequence state, bool is_open, const IsCurrent& is_current,
               std::string& out, RowImage& image) const {
    const RowBlock& row = RowAt(arena_, handle);
    const std::size_t base = out.size();
    for (Backoff backoff;; backoff.Wait()) {
      const std::uint64_t seen = row.state.load(std::memory_order_acquire);
      const auto is_unchanged = [&] {
        return is_current() && row.state.load(std::memory_order_acquire) == seen;
      };
      RowRead result = RowRead::kChanged;
      if ((seen & kWriting) == 0) {
        image = {.sequence = SequenceOf(seen), .flags = FlagsOf(seen)};
        if (image.sequence <= state) {
          result = seen & kTombstone ? RowRead::kDeleted
                                     : CopyValue(handle, seen, is_open, is_unchanged, out, image);
        } else {
          const Handle older = seen & kHasOlder ? OlderOf(handle) : 0;
          if (is_unchanged()) {
            result = is_open ? ReadOlder(older, state, out, image)
                             : ReadBefore(handle, older, seen, is_unchanged, out, image);
          }
        }
        if (result != RowRead::kChanged && is_unchanged()) return result;
      }
      out.resize(base);
      if (!is_current()) return RowRead::kChanged;
    }
  }

  // The handle of the version before; of a row with kHasOlder.
  Handle OlderOf(Handle row) const {
    return static_cast<Handle>(LoadWord(arena_.At(row) + arena_.BlockBytes(row) - sizeof(Word)));
  }

 private:
  // kChanged: try again.
  template <typename IsUnchanged>
  RowRead CopyValue(Handle handle, std::uint64_t seen, bool is_open,
                    const IsUnchanged& is_unchanged, std::string& out, RowImage& image) const {
    const RowBlock& row = RowAt(arena_, handle);
    const std::size_t size = row.value_bytes.load(std::memory_order_acquire);
    const std::byte* value = row.key() + row.key_bytes();
    if (seen & kExternal) {
      Handle block = 0;
      CopyOut(value, reinterpret_cast<char*>(&block), sizeof(block));
      if (!is_unchanged()) return RowRead::kChanged;
      if (is_open) {
        image.external = PlainBytes(arena_.At(block), size);
        return RowRead::kValue;
      }
      value = arena_.At(block);
    } else if (size > kInlineValueBytesMax) {
      return RowRead::kChanged;
    }
    const std::size_t base = out.size();
    out.resize(base + size);
    CopyOut(value, out.data() + base, size);
    return RowRead::kValue;
  }

  // The version before an unpublished one, for a reader of the newest state.
  template <typename IsUnchanged>
  RowRead ReadBefore(Handle handle, Handle older, std::uint64_t seen,
                     const IsUnchanged& is_unchanged, std::string& out, RowImage& image) const {
    const Sequence unpublished = SequenceOf(seen);
    RowRead result = RowRead::kUnpublished;
    if (seen & kExact) {
      if (seen & kValueKept) {
        result = CopyValue(handle, seen, false, is_unchanged, out, image);
      } else if (older == 0) {
        result = RowRead::kNothing;
      } else if (SequenceOf(VersionAt(arena_, older).state.load(std::memory_order_acquire)) <=
                 states_.visible()) {
        result = CopyVersion(older, unpublished, out, image);
      }
    }
    // Once it is published, what it replaced may be gone.
    if (result != RowRead::kUnpublished && states_.visible() >= unpublished) {
      return RowRead::kUnpublished;
    }
    image.sequence = result == RowRead::kUnpublished ? unpublished : image.sequence;
    return result;
  }

  RowRead ReadOlder(Handle version, Sequence state, std::string& out, RowImage& image) const;
  // `until`: the version may be freed once this sequence is visible; 0: an open state keeps it.
  RowRead CopyVersion(Handle version, Sequence until, std::string& out, RowImage& image) const;

  const SlabArena& arena_;
  const OpenStates& states_;
};

}  // namespace mayfly::engine::hot
