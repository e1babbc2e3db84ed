// planted_rows.h - a memory-first database with planted bytes in its tables, its log, or both.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "engine/hot/hot_engine.h"

namespace mayfly::engine {

inline constexpr const char* kPlantedKey = "plantedkey";
inline constexpr const char* kPlantedValue = "plantedvalue";
inline constexpr int kPlantedRows = 300;  // In tables; as many are in the log alone.

inline RocksOptions PlantedAt(const std::string& directory, Bytes password) {
  return {.directory = directory,
          .password = password,
          .profile = Profile::kTiny,
          .write_buffer_bytes = 64 << 10};
}

inline HotOptions PlantedOptions() {
  return {.segment_bytes = hot::kSegmentBytesMin,
          .log_bytes_max = std::uint64_t{1} << 30,
          .reserved_bytes = std::size_t{1} << 30,
          .huge_pages = false,
          .has_thread = false};
}

inline std::string PlantedKeyOf(int row) { return kPlantedKey + std::to_string(1000 + row); }

inline std::unique_ptr<Engine> OpenPlanted(const RocksOptions& options) {
  auto engine = OpenHotEngine(options, PlantedOptions());
  EXPECT_TRUE(engine.has_value()) << engine.status().ToString();
  return engine ? *std::move(engine) : nullptr;
}

// Every third row of the tables is deleted by the log, and every third has a newer value there.
inline void Plant(const RocksOptions& options) {
  const auto engine = OpenPlanted(options);
  const auto put = [&](int row, const std::string& value) {
    Batch batch;
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      batch.Put({static_cast<Role>(role)}, PlantedKeyOf(row), value);
    }
    ASSERT_TRUE(engine->Commit(batch).ok());
  };
  for (int row = 0; row < kPlantedRows; ++row) put(row, kPlantedValue);
  ASSERT_TRUE(engine->Flush().ok());
  for (int row = 0; row < kPlantedRows; row += 3) {
    Batch batch;
    batch.Delete({Role::kRows}, PlantedKeyOf(row));
    ASSERT_TRUE(engine->Commit(batch).ok());
    put(row + 1, std::string(kPlantedValue) + "newer");
  }
  for (int row = kPlantedRows; row < 2 * kPlantedRows; ++row) put(row, kPlantedValue);
  ASSERT_TRUE(engine->Close().ok());
}

inline void ExpectPlanted(const Engine& engine) {
  for (int row = 0; row < 2 * kPlantedRows; ++row) {
    PinnedBytes value;
    const Status read = engine.Get({Role::kRows}, PlantedKeyOf(row), value);
    const bool is_deleted = row < kPlantedRows && row % 3 == 0;
    const bool is_newer = row < kPlantedRows && row % 3 == 1;
    ASSERT_EQ(read.code(), is_deleted ? StatusCode::kNotFound : StatusCode::kOk) << row;
    if (is_deleted) continue;
    ASSERT_EQ(value.view(), kPlantedValue + std::string(is_newer ? "newer" : "")) << row;
  }
}

// Cuts off the end of the oldest segment, which later ones show to be missing.
inline void DamageLogOf(const std::string& directory) {
  std::set<std::filesystem::path> segments;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/" + kHotLogFolder)) {
    if (entry.file_size() > 0) segments.insert(entry.path());
  }
  ASSERT_GT(segments.size(), 1U);
  std::filesystem::resize_file(*segments.begin(), hot::kSegmentBytesMin / 2 + 40);
}

// Files of the directory, and of its folders, in which planted bytes can be read.
inline std::set<std::string> ShowingPlanted(const std::string& directory) {
  std::set<std::string> showing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    for (const char* const planted : {kPlantedKey, kPlantedValue}) {
      if (bytes.find(planted) != std::string::npos) showing.insert(entry.path().filename());
    }
  }
  return showing;
}

}  // namespace mayfly::engine
