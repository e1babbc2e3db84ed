#include "core/commit/whole_value.h"

#include <algorithm>

#include "base/coding.h"
#include "core/layout/addresses.h"
#include "core/layout/collection_codec.h"

namespace mayfly::core {
namespace {

Status Damaged() {
  return Status::Corruption("a value in chunks is damaged; run a check of the database");
}

}  // namespace

std::string EncodeChunkedHead(const ChunkedHead& head) {
  std::string out(1, kInChunks);
  AppendLittleEndian64(out, head.size);
  AppendLittleEndian64(out, head.edits);
  return out;
}

std::optional<ChunkedHead> DecodeChunkedHead(Bytes in) {
  if (in.empty() || in.front() != kInChunks) return std::nullopt;
  in.remove_prefix(1);
  ChunkedHead head;
  if (!EatLittleEndian64(in, head.size) || !EatLittleEndian64(in, head.edits) || !in.empty()) {
    return std::nullopt;
  }
  return head;
}

std::string ChunkName(std::uint64_t chunk) {
  std::string name;
  AppendBigEndian32(name, static_cast<std::uint32_t>(chunk));
  return name;
}

Status PlaceChunk(Bytes name, Bytes bytes, std::uint64_t begin, std::string& out) {
  std::uint32_t chunk = 0;
  if (!EatBigEndian32(name, chunk) || !name.empty() || bytes.size() > kChunkBytes) {
    return Damaged();
  }
  const std::uint64_t at = std::uint64_t{chunk} * kChunkBytes;
  const std::uint64_t first = std::max(at, begin);
  const std::uint64_t end = std::min<std::uint64_t>(at + bytes.size(), begin + out.size());
  if (first >= end) return {};
  const Bytes piece = bytes.substr(first - at, end - first);
  std::copy(piece.begin(), piece.end(), out.begin() + static_cast<std::ptrdiff_t>(first - begin));
  return {};
}

std::optional<ChunkedHead> ChunksOf(const RowView& row) {
  if (!row.collection_id) return std::nullopt;
  const auto collection = DecodeCollection(row.payload);
  return collection ? DecodeChunkedHead(collection->head) : std::nullopt;
}

Result<std::string> ReadWhole(const engine::Engine& engine, KeyspaceId keyspace,
                              std::uint64_t collection_id, std::uint64_t size,
                              const engine::Snapshot* snapshot) {
  const PartKeys keys(keyspace, collection_id);
  std::string whole(size, '\0');
  const std::string begin = keys.Begin(PartKind::kMember);
  const std::string end = keys.End(PartKind::kMember);
  const engine::CursorOptions walk{.range = {begin, end}, .snapshot = snapshot};
  MAYFLY_TRY(const auto cursor, engine.NewCursor(kMembers, walk));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const RowView chunk, DecodeRow(cursor->value()));
    MAYFLY_RETURN_IF_ERROR(
        PlaceChunk(cursor->key().substr(keys.name_at()), chunk.payload, 0, whole));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return whole;
}

Status ShowWhole(const engine::Engine& engine, KeyspaceId keyspace,
                 const engine::Snapshot* snapshot, PinnedBytes& pin, RowView& row) {
  if (!row.collection_id) [[likely]]
    return {};
  MAYFLY_TRY(const Collection collection, DecodeCollection(row.payload));
  const auto head = DecodeChunkedHead(collection.head);
  if (!head) return {};
  MAYFLY_TRY(std::string whole,
             ReadWhole(engine, keyspace, *row.collection_id, head->size, snapshot));
  auto& held = pin.Hold<std::string>();
  held = std::move(whole);
  pin.Show(held);
  row = {.deadline = row.deadline, .payload = held};
  return {};
}

}  // namespace mayfly::core
