#include "core/layout/packed_parts.h"

#include "base/coding.h"

namespace mayfly::core {
namespace {

Status DamagedParts() {
  return Status::Corruption("the parts of a collection are damaged; run a check of the database");
}

}  // namespace

void AppendPackedPart(std::string& out, PartKind kind, Bytes name, Bytes value) {
  AppendVarint(out, name.size() << 1 | (kind == PartKind::kSide ? 1 : 0));
  out.append(name);
  AppendVarint(out, value.size() + 1);  // The row's tag is a byte.
  AppendRow(out, {.deadline = {}, .payload = value});
}

void PackedReader::Next() {
  begin_ = rest_.data();
  valid_ = !rest_.empty() && Eat();
}

bool PackedReader::Eat() {
  std::uint64_t name_size = 0;
  std::uint64_t row_size = 0;
  damaged_ = true;
  if (!EatVarint(rest_, name_size) || rest_.size() < name_size >> 1) return false;
  part_.kind = (name_size & 1) != 0 ? PartKind::kSide : PartKind::kMember;
  part_.name = rest_.substr(0, name_size >> 1);
  rest_.remove_prefix(name_size >> 1);
  if (!EatVarint(rest_, row_size) || rest_.size() < row_size) return false;
  part_.row = rest_.substr(0, row_size);
  rest_.remove_prefix(row_size);
  damaged_ = false;
  return true;
}

Status PackedReader::status() const { return damaged_ ? DamagedParts() : Status(); }

Result<std::uint64_t> CountPacked(const Collection& collection) {
  std::uint64_t members = 0;
  if (!collection.packed) return members;
  PackedReader reader(*collection.packed);
  PackedPart before;
  for (bool first = true; reader.Valid(); reader.Next(), first = false) {
    const PackedPart& part = reader.part();
    MAYFLY_TRY(const RowView row, DecodeRow(part.row));
    if ((!first && !before.IsBefore(part.kind, part.name)) || row.deadline || row.timestamp ||
        row.collection_id) {
      return DamagedParts();
    }
    members += part.kind == PartKind::kMember ? 1 : 0;
    before = part;
  }
  MAYFLY_RETURN_IF_ERROR(reader.status());
  return members;
}

Result<std::optional<Bytes>> FindPackedPart(Bytes packed, PartKind kind, Bytes name) {
  PackedReader reader(packed);
  for (; reader.Valid(); reader.Next()) {
    const PackedPart& part = reader.part();
    if (part.kind == kind && part.name == name) return std::optional(part.row);
  }
  MAYFLY_RETURN_IF_ERROR(reader.status());
  return std::optional<Bytes>();
}

}  // namespace mayfly::core
