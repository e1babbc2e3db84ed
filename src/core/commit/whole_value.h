// whole_value.h - a plain value that is stored in chunks, so that a part of it can be changed
// alone. A latched transaction writes it as a collection whose head says so:
//   head     | kInChunks u8 | size u64 | edits u64 |
//   member   | chunk u32 BE | -> its bytes, up to kChunkBytes; what is missing of one is zeros
// To everybody else it is the plain row that it stands for: reads of the library put it together,
// and a write of the whole value replaces it. Its chunks have no deadlines. The count of edits
// makes each change of a chunk a change of the row, by which transactions tell what others did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/layout/keys.h"
#include "core/layout/row_codec.h"
#include "engine/engine.h"
#include "mayfly/bytes.h"
#include "mayfly/pinned_bytes.h"
#include "mayfly/result.h"

namespace mayfly::core {

// Stored; the types of collections have other letters.
inline constexpr char kInChunks = 'c';

// Small enough for what latched transactions read to be kept.
inline constexpr std::size_t kChunkBytes = std::size_t{4} << 10;

struct ChunkedHead {
  std::uint64_t size = 0;
  std::uint64_t edits = 0;

  bool operator==(const ChunkedHead&) const = default;
};

std::string EncodeChunkedHead(const ChunkedHead& head);

// Nothing when it is the head of something else, or damaged.
std::optional<ChunkedHead> DecodeChunkedHead(Bytes head);

std::string ChunkName(std::uint64_t chunk);

// Copies a chunk into the part [begin, begin + out.size()) of the value, as far as it lies there.
// Corruption when it is no chunk.
Status PlaceChunk(Bytes name, Bytes bytes, std::uint64_t begin, std::string& out);

// The head of a row that stands for a plain value in chunks; nothing for other rows.
std::optional<ChunkedHead> ChunksOf(const RowView& row);

// Puts the value of that id together. Corruption when a chunk is none.
Result<std::string> ReadWhole(const engine::Engine& engine, KeyspaceId keyspace,
                              std::uint64_t collection_id, std::uint64_t size,
                              const engine::Snapshot* snapshot);

// Makes such a row the plain one that it stands for, with the value in `pin`; leaves others alone.
// The state must be the one that the row was read from.
Status ShowWhole(const engine::Engine& engine, KeyspaceId keyspace,
                 const engine::Snapshot* snapshot, PinnedBytes& pin, RowView& row);

}  // namespace mayfly::core
