#include "types/string.h"

#include <algorithm>

#include "types/value_type.h"

namespace mayfly::types {
namespace {

using core::ChunkName;
using core::kChunkBytes;

// Reads as many bytes as `out` has room for.
Status ReadChunks(core::TransactionKeyspace& space, Bytes key, std::uint64_t begin,
                  std::string& out) {
  if (out.empty()) return {};
  const std::string first = ChunkName(begin / kChunkBytes);
  const std::string end = ChunkName((begin + out.size() - 1) / kChunkBytes + 1);
  if ((begin + out.size() - 1) / kChunkBytes == begin / kChunkBytes) {
    core::FoundMember chunk;
    MAYFLY_RETURN_IF_ERROR(space.FindMember(key, first, chunk));
    return chunk.exists ? core::PlaceChunk(first, chunk.value, begin, out) : Status();
  }
  MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers, {first, end}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_RETURN_IF_ERROR(core::PlaceChunk(cursor->member(), cursor->value(), begin, out));
  }
  return cursor->status();
}

// Makes the key a string of `size` bytes in chunks: `bytes`, followed by zeros.
Status MakeChunks(core::TransactionKeyspace& space, Bytes key, Bytes bytes, std::uint64_t size,
                  Lifetime lifetime) {
  const core::ChunkedHead head{.size = size, .edits = 0};
  MAYFLY_RETURN_IF_ERROR(space.MakeCollection(key, core::EncodeChunkedHead(head), lifetime));
  bool any = false;
  for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const Bytes piece = bytes.substr(at, kChunkBytes);
    // A collection without a member would not be written.
    const bool last = at + kChunkBytes >= bytes.size();
    if (piece.find_first_not_of('\0') == Bytes::npos && (any || !last)) continue;
    any = true;
    MAYFLY_RETURN_IF_ERROR(space
                               .PutMember(key, ChunkName(at / kChunkBytes), piece,
                                          core::MemberLifetime::Forever(), /*known_new=*/true)
                               .status());
  }
  return {};
}

}  // namespace

Status PutString(core::TransactionKeyspace& space, Bytes key, Bytes value, Lifetime lifetime) {
  if (value.size() <= core::kValueBytesMax) return space.Put(key, value, lifetime);
  return MakeChunks(space, key, value, value.size(), lifetime);
}

Status ShowString(core::TransactionKeyspace& space, Bytes key, core::FoundRow& row) {
  const auto head = row.is_collection ? core::DecodeChunkedHead(row.value) : std::nullopt;
  if (!head) return {};
  std::string whole(head->size, '\0');
  MAYFLY_RETURN_IF_ERROR(ReadChunks(space, key, 0, whole));
  auto& held = row.pin.Hold<std::string>();
  held = std::move(whole);
  row.pin.Show(held);
  row.value = held;
  row.is_collection = false;
  row.members = 0;
  return {};
}

Status String::Open() {
  MAYFLY_RETURN_IF_ERROR(space_.Find(key_, row_));
  head_.reset();
  if (!row_.is_collection) return {};
  head_ = core::DecodeChunkedHead(row_.value);
  if (head_) return {};
  return Status::WrongType("the key holds another type");
}

Result<Bytes> String::Read(std::uint64_t begin, std::uint64_t count, std::string& room) {
  begin = std::min(begin, size());
  count = std::min(count, size() - begin);
  if (!head_) return row_.value.substr(begin, count);
  room.assign(count, '\0');
  MAYFLY_RETURN_IF_ERROR(ReadChunks(space_, key_, begin, room));
  return Bytes(room);
}

Status String::Write(std::uint64_t begin, Bytes bytes) {
  if (bytes.empty()) return {};
  const std::uint64_t end = begin + bytes.size();
  const std::uint64_t fresh_size = std::max(size(), end);
  if (!head_ && fresh_size <= kWholeStringBytesMax) {
    std::string value(row_.value);
    value.resize(fresh_size);
    value.replace(begin, bytes.size(), bytes);
    MAYFLY_RETURN_IF_ERROR(space_.Put(key_, value, Lifetime::Keep()));
    return Open();
  }
  if (head_) {
    head_ = {fresh_size, head_->edits + 1};
    MAYFLY_RETURN_IF_ERROR(space_.SetHead(key_, core::EncodeChunkedHead(*head_)));
  } else {
    const std::string old(row_.value);  // Making chunks replaces the row.
    MAYFLY_RETURN_IF_ERROR(MakeChunks(space_, key_, old, fresh_size, Lifetime::Keep()));
  }
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t chunk = at / kChunkBytes;
    const std::uint64_t next = std::min(end, (chunk + 1) * kChunkBytes);
    MAYFLY_RETURN_IF_ERROR(
        WriteChunk(chunk, at % kChunkBytes, bytes.substr(at - begin, next - at)));
    at = next;
  }
  return Open();
}

Status String::WriteChunk(std::uint64_t chunk, std::uint64_t begin, Bytes bytes) {
  const std::string name = ChunkName(chunk);
  std::string piece;
  if (bytes.size() < kChunkBytes) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(space_.FindMember(key_, name, found));
    piece = found.value;
  }
  piece.resize(std::max<std::size_t>(piece.size(), begin + bytes.size()));
  piece.replace(begin, bytes.size(), bytes);
  return space_.PutMember(key_, name, piece).status();
}

}  // namespace mayfly::types
