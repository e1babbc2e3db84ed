// hot_reader_fixture.h - what tests of the reader share: tiny bounds, and all pairs of a role.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/hot/hot_engine.h"
#include "engine/hot/reader/hot_reader_engine.h"

namespace mayfly::engine {

using Pairs = std::vector<std::pair<std::string, std::string>>;

inline Pairs Walk(const Engine& engine, Role role, const Snapshot* snapshot = nullptr) {
  Pairs pairs;
  auto cursor = *engine.NewCursor({role}, {.snapshot = snapshot});
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    pairs.emplace_back(cursor->key(), cursor->value());
  }
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().ToString();
  return pairs;
}

inline Pairs WalkBack(const Engine& engine, Role role) {
  Pairs pairs;
  auto cursor = *engine.NewCursor({role});
  for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) {
    pairs.emplace_back(cursor->key(), cursor->value());
  }
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().ToString();
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

inline RocksOptions ColdOptions(const std::string& directory) {
  return {.directory = directory, .profile = Profile::kTiny, .write_buffer_bytes = 64 << 10};
}

inline HotOptions SmallOptions() {
  return {.segment_bytes = hot::kSegmentBytesMin,
          .log_bytes_max = 2 * hot::kSegmentBytesMin,
          .reserved_bytes = std::size_t{1} << 30,
          .huge_pages = false,
          .has_thread = false};
}

inline HotReaderOptions ReaderOptionsAt(const std::string& directory) {
  return {
      .reader = {.rocks = {.directory = directory, .profile = Profile::kTiny}, .has_thread = false},
      .folded_bytes_max = 0,
      .reserved_bytes = std::size_t{1} << 30};
}

}  // namespace mayfly::engine
