// whole_value.h - a plain value that is stored in chunks, so that a part of it can be changed
// alone. A latched transaction writes it as a collection whose head says so:
//   head     | kInChunks u8 | size u64 | edits u64 |
//   member   | chunk u32 BE | -> its bytes, up to kChunkBytes; what is missing of one is zeros
// All other readers see the plain row that it stands for: the library's reads assemble it, and a
// write of the whole value replaces it. Its chunks have no deadlines. The count of edits makes each
// change of a chunk a change of the row, by which transactions detect conflicts.
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

// A change of a part of a long string writes this much.
inline constexpr std::size_t kChunkBytes = std::size_t{4} << 10;

struct ChunkedHead {
  std::uint64_t size = 0;
  std::uint64_t edits = 0;

  bool operator==(const ChunkedHead&) const = default;
};

std::string EncodeChunkedHead(const ChunkedHead& head);

// Nothing when it is the head of a collection, or damaged.
std::optional<ChunkedHead> DecodeChunkedHead(Bytes head);

std::string ChunkName(std::uint64_t chunk);

// Copies a chunk into `out`, which holds [begin, begin + out.size()) of the value, as far as they
// overlap. Corruption when it is no chunk.
Status PlaceChunk(Bytes name, Bytes bytes, std::uint64_t begin, std::string& out);

// The head of a row that stands for a plain value in chunks; nothing for other rows.
std::optional<ChunkedHead> ChunksOf(const RowView& row);

// Assembles the value of that collection id. Corruption when a member is no chunk.
Result<std::string> ReadWhole(const engine::Engine& engine, KeyspaceId keyspace,
                              std::uint64_t collection_id, std::uint64_t size,
                              const engine::Snapshot* snapshot);

// Turns a row in chunks into the plain row that it stands for, with the value in `pin`; leaves
// other rows unchanged. `snapshot` must be the one that the row was read from.
Status ShowWhole(const engine::Engine& engine, KeyspaceId keyspace,
                 const engine::Snapshot* snapshot, PinnedBytes& pin, RowView& row);

}  // namespace mayfly::core
