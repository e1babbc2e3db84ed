// log_format.h - the frames in which RocksDB writes its logs and manifests.
//   block of 32 KiB: | checksum u32 | length u16 | kind u8 | bytes | ...
// A record that does not fit its block goes on in the next as another fragment. Less room than a
// header at the end of a block is filled with zeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly::engine {

inline constexpr std::size_t kLogBlockBytes = std::size_t{32} << 10;
inline constexpr std::size_t kFrameHeaderBytes = 7;

// RocksDB's numbers. The kinds of logs that are written over old ones, 5 to 8, are not used here.
inline constexpr unsigned kWholeRecord = 1;
inline constexpr unsigned kFirstFragment = 2;
inline constexpr unsigned kMiddleFragment = 3;
inline constexpr unsigned kLastFragment = 4;

struct Frame {
  std::uint32_t checksum = 0;
  std::size_t length = 0;
  unsigned kind = 0;

  // Room that was never written; the bytes after it are zeros, too.
  bool IsEmptyRoom() const { return kind == 0 && length == 0; }
  bool HasKnownKind() const { return kWholeRecord <= kind && kind <= kLastFragment; }
};

// `bytes` has at least a header.
Frame ReadFrame(Bytes bytes);

// The payload of the frame at the front of `bytes`, which contain all of it.
inline Bytes PayloadOf(const Frame& frame, Bytes bytes) {
  return bytes.substr(kFrameHeaderBytes, frame.length);
}

// True if the checksum matches the frame at the front of `bytes`, which contain all of it.
bool IsSoundFrame(const Frame& frame, Bytes bytes);

}  // namespace mayfly::engine
