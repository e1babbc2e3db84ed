// The parts of small collections, which lie in the row: how they are read, and written back.
#include <algorithm>

#include "core/commit/whole_value.h"
#include "core/layout/limits.h"
#include "core/layout/packed_parts.h"
#include "core/transactions/write_buffer.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {

// Reads a stored member or side. False: there is none.
Result<bool> WriteBuffer::ReadPart(Bytes key, const BufferedCollection& parts, PartKind kind,
                                   Bytes name, PinnedBytes& pin, RowView& row) {
  if (parts.packed) {
    if (!source().is_latched()) source().NotePart(state_, key, parts.keys.Of(kind, name));
    MAYFLY_TRY(const std::optional<Bytes> found, FindPackedPart(*parts.packed, kind, name));
    if (!found) return false;
    MAYFLY_TRY(row, DecodeRow(*found));
    return true;
  }
  const Status read = source().ReadPart(state_, key, parts.keys.Of(kind, name), pin);
  if (read.IsNotFound()) return false;
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(row, DecodeRow(pin.view()));
  return true;
}

// Whether a collection's parts may lie in its row, as far as the collection tells: they did, or it
// is new; and none is mortal. Strings in chunks are read without a transaction, from `members`.
bool WriteBuffer::MayPack(const RowDraft& draft, const BufferedCollection& parts,
                          Bytes head) const {
  return (parts.packed || (parts.is_new && !parts.staged)) && draft.mortal == 0 && !draft.named &&
         !DecodeChunkedHead(head);
}

// Sets packed_ to the stored parts with the drafts applied. False when that is too large, or a
// draft has a deadline.
Result<bool> WriteBuffer::Pack(const BufferedCollection& parts) {
  std::size_t bytes_max = store_.draft_bounds().packed_bytes_max;
  packed_.clear();
  const Bytes stored = parts.packed.value_or(Bytes());
  PackedReader reader(stored);
  const char* kept = stored.data();  // From here to the reader's part all are to be kept.
  const auto keep = [&] { packed_.append(kept, static_cast<std::size_t>(reader.begin() - kept)); };
  for (const auto* const drafts : {&parts.members, &parts.sides}) {
    const PartKind kind = drafts == &parts.members ? PartKind::kMember : PartKind::kSide;
    for (const auto& [name, own] : *drafts) {
      if (!own.dirty()) continue;
      if (own.draft.deadline) return false;
      while (reader.Valid() && reader.part().IsBefore(kind, name)) reader.Next();
      keep();
      if (reader.Valid() && reader.part().kind == kind && reader.part().name == name) reader.Next();
      kept = reader.begin();
      if (own.draft.present) {
        AppendPackedPart(packed_, kind, name, own.draft.value);
        if (own.draft.value.size() > kPackedValueBytesMax) {
          bytes_max = std::min(bytes_max, kPackedLongBytesMax);
        }
      }
      if (packed_.size() > bytes_max) return false;
    }
  }
  MAYFLY_RETURN_IF_ERROR(reader.status());
  packed_.append(kept, static_cast<std::size_t>(stored.data() + stored.size() - kept));
  return packed_.size() <= bytes_max;
}

// Gives rows of their own to the parts in the row, but for those that have drafts.
Status WriteBuffer::Unpack(CommitPlan& plan, const BufferedCollection& parts) const {
  PackedReader reader(*parts.packed);
  for (; reader.Valid(); reader.Next()) {
    const PackedPart& part = reader.part();
    const auto* const own =
        (part.kind == PartKind::kMember ? parts.members : parts.sides).Find(part.name);
    if (own != nullptr && own->second.dirty()) continue;
    plan.batch().Put({engine::Role::kMembers}, parts.keys.Of(part.kind, part.name), part.row);
  }
  return reader.status();
}

}  // namespace mayfly::core
