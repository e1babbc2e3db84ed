// Goal: a salvage of a memory-first directory shows what a plain map shows to which every batch was
// applied, except for those whose records are lost, and tells each place; whatever is missing.
// Method: a small database, in part folded, is closed or left as a kill leaves it; bytes of its files
// are flipped, and files cut and removed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/log/log_format.h"
#include "engine/hot/salvage/hot_salvage_engine.h"

namespace mayfly::engine {
namespace {

namespace fs = std::filesystem;

using Rows = std::map<std::string, std::string>;
using State = std::array<Rows, kRoleCount>;

constexpr Address kRowsAt = {.role = Role::kRows};

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void WriteAll(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void Apply(const Batch& batch, State& state) {
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    Rows& rows = state[static_cast<std::size_t>(change.at.role)];
    const std::string key(change.key);
    switch (change.kind) {
      case Batch::Kind::kPut: rows[key] = change.value; break;
      case Batch::Kind::kDelete: rows.erase(key); break;
      case Batch::Kind::kDeleteRange:
        rows.erase(rows.lower_bound(key), rows.lower_bound(std::string(change.value)));
        break;
    }
  }
}

State StateOf(const Engine& engine) {
  State state;
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const auto cursor = *engine.NewCursor({static_cast<Role>(i)});
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      state[i].emplace(cursor->key(), cursor->value());
    }
    EXPECT_TRUE(cursor->status().ok()) << cursor->status().ToString();
  }
  return state;
}

// Where the record of a batch lies.
struct BatchPlace {
  fs::path file;
  std::uint64_t offset = 0;
};

class HotSalvageTest : public ::testing::TestWithParam<bool> {
 protected:
  Bytes password() const { return GetParam() ? "a password" : ""; }

  RocksOptions Cold(const std::string& name) const {
    return {.directory = home_.Inside(name),
            .password = password(),
            .profile = Profile::kTiny,
            .write_buffer_bytes = 64 << 10};
  }

  // `folded` batches that are folded, then others that are in the log alone. Their records lie in
  // places_.
  void Fill(int folded, int logged) {
    Random random(7);
    const auto engine = *OpenHotEngine(Cold("db"), {.segment_bytes = hot::kSegmentBytesMin,
                                                    .log_bytes_max = std::uint64_t{1} << 30,
                                                    .reserved_bytes = std::size_t{1} << 30,
                                                    .huge_pages = false,
                                                    .has_thread = false});
    for (int i = 0; i < folded + logged; ++i) {
      if (i == folded) {
        ASSERT_TRUE(engine->Flush().ok());
      }
      auto batch = std::make_unique<Batch>();
      const std::uint64_t changes = 1 + random.Below(4);
      for (std::uint64_t n = 0; n < changes; ++n) AddChange(random, *batch);
      ASSERT_TRUE(engine->Commit(*batch, Durability::kDisk).ok());
      if (i < folded) {
        Apply(*batch, folded_);
      } else {
        batches_.push_back(std::move(batch));
      }
    }
    ASSERT_TRUE(engine->Close().ok());
    FindPlaces(static_cast<std::size_t>(logged));
  }

  void AddChange(Random& random, Batch& batch) {
    const Address at = {.role = static_cast<Role>(random.Below(kRoleCount))};
    const std::string key = "k" + std::to_string(random.Below(40));
    switch (random.Below(6)) {
      case 0: batch.Delete(at, key); break;
      case 1: batch.DeleteRange(at, key, key + "5"); break;
      default:
        batch.Put(at, key, key + std::string(random.Below(300), 'v') + std::to_string(++puts_));
    }
  }

  void FindPlaces(std::size_t logged) {
    for (const fs::path& file : Segments("db")) {
      const std::string bytes = ReadAll(file);
      hot::StoredRecord record;
      for (std::uint64_t at = hot::kSegmentHeaderBytes;
           hot::PeekRecord(Bytes(bytes).substr(at), record) && record.header.bytes > 0;
           at += hot::RecordBytes(record.header.bytes)) {
        places_.push_back({.file = file.filename(), .offset = at});
      }
    }
    ASSERT_EQ(places_.size(), logged) << "one record for each batch";
  }

  // Without the one that was prepared.
  std::vector<fs::path> Segments(const std::string& name) const {
    std::vector<fs::path> segments;
    for (const auto& entry : fs::directory_iterator(home_.Inside(name + "/hot"))) {
      const bool is_segment = entry.path().filename().string().starts_with("segment-");
      if (is_segment && entry.file_size() > 0) segments.push_back(entry.path());
    }
    std::sort(segments.begin(), segments.end());
    return segments;
  }

  // The cold store of an open engine may remove files meanwhile that it does not need.
  void Copy() {
    std::error_code gone;
    do {
      fs::remove_all(home_.Inside("damaged"));
      fs::copy(home_.Inside("db"), home_.Inside("damaged"), fs::copy_options::recursive, gone);
    } while (gone);
  }
  fs::path InLog(const fs::path& name) const { return home_.Inside("damaged/hot") / name; }

  void Flip(const fs::path& path, std::uint64_t offset) {
    std::string bytes = ReadAll(path);
    bytes.at(offset) = static_cast<char>(bytes[offset] ^ 0x10);
    WriteAll(path, bytes);
  }

  // What is shown without the batches with these numbers.
  State Without(const std::set<std::size_t>& lost) const {
    State state = folded_;
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      if (!lost.contains(i)) Apply(*batches_[i], state);
    }
    return state;
  }

  // Salvages "damaged" into shown_ and given_up_, and compares gets with the cursor.
  void Salvage() {
    RocksOptions options = Cold("damaged");
    options.read_only = true;
    const auto engine = OpenHotSalvageEngine(options, std::size_t{1} << 30);
    ASSERT_TRUE(engine.has_value()) << engine.error().ToString();
    shown_ = StateOf(**engine);
    const auto snapshot = *(*engine)->NewSnapshot();
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      for (int n = 0; n < 40; ++n) {
        const std::string key = "k" + std::to_string(n);
        const auto row = shown_[i].find(key);
        for (const Snapshot* state : {static_cast<Snapshot*>(nullptr), snapshot.get()}) {
          PinnedBytes value;
          const Status read = (*engine)->Get({static_cast<Role>(i)}, key, value, state);
          ASSERT_EQ(read.ok(), row != shown_[i].end());
          if (read.ok()) {
            EXPECT_EQ(value.view(), row->second);
          }
        }
      }
    }
    const EngineStats stats = *(*engine)->Stats();
    given_up_ = stats.given_up;
    EXPECT_EQ(stats.damage_seen, given_up_.size());
    EXPECT_EQ(stats.first_damage, given_up_.empty() ? "" : given_up_.front());
  }

  const TemporaryDirectory home_;
  int puts_ = 0;
  State folded_;
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<BatchPlace> places_;
  State shown_;
  std::vector<std::string> given_up_;
};
INSTANTIATE_TEST_SUITE_P(Modes, HotSalvageTest, ::testing::Values(false, true),
                         [](const auto& mode) { return mode.param ? "Encrypted" : "Plain"; });

TEST_P(HotSalvageTest, AWholeDirectoryIsShownAsAWholeAndChangedInNothing) {
  Fill(60, 60);
  Copy();
  std::map<std::string, std::string> before;
  const auto files = [&] {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(home_.Inside("damaged"))) {
      if (entry.is_regular_file()) found[entry.path()] = ReadAll(entry.path());
    }
    return found;
  };
  before = files();
  Salvage();
  EXPECT_EQ(shown_, Without({}));
  EXPECT_TRUE(given_up_.empty()) << ::testing::PrintToString(given_up_);
  EXPECT_EQ(files(), before);
}

TEST_P(HotSalvageTest, AFlippedByteInEachRecordLosesThatBatchAndIsTold) {
  Fill(40, 60);
  ASSERT_GT(Segments("db").size(), 1U);
  // A password costs a part of a second.
  for (std::size_t i = 0; i < places_.size(); i += GetParam() ? 10U : 1U) {
    SCOPED_TRACE("batch " + std::to_string(i));
    Copy();
    Flip(InLog(places_[i].file), places_[i].offset + hot::kRecordHeaderBytes + 1);
    Salvage();
    EXPECT_TRUE(shown_ == Without({i}));
    ASSERT_EQ(given_up_.size(), 1U) << ::testing::PrintToString(given_up_);
    const std::string place = "hot/" + places_[i].file.string() + ": ";
    EXPECT_TRUE(given_up_[0].starts_with(place)) << given_up_[0];
    EXPECT_NE(given_up_[0].find("from byte " + std::to_string(places_[i].offset) + " on"),
              std::string::npos)
        << given_up_[0];
    EXPECT_NE(given_up_[0].find("may be missing, old, or back"), std::string::npos) << given_up_[0];
  }
}

TEST_P(HotSalvageTest, CutAndMissingSegmentsLoseTheirBatches) {
  Fill(20, 120);
  const auto segments = Segments("db");
  ASSERT_GT(segments.size(), 2U);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const fs::path name = segments[i].filename();
    const std::uint64_t size = fs::file_size(segments[i]);
    for (std::uint64_t kept = 0; kept < size; kept += size / (GetParam() ? 2 : 5)) {
      SCOPED_TRACE(name.string() + " " + std::to_string(kept));
      Copy();
      if (kept == 0) {
        fs::remove(InLog(name));
      } else {
        fs::resize_file(InLog(name), kept);
      }
      std::set<std::size_t> lost;
      for (std::size_t n = 0; n < places_.size(); ++n) {
        const std::uint64_t end = n + 1 < places_.size() && places_[n + 1].file == name
                                      ? places_[n + 1].offset
                                      : places_[n].offset + 1;
        if (places_[n].file == name && end > kept) lost.insert(n);
      }
      Salvage();
      EXPECT_TRUE(shown_ == Without(lost));
      // The end of the last one may be what a crash left.
      if (i + 1 < segments.size() || kept == 0) {
        EXPECT_EQ(given_up_.empty(), lost.empty());
      }
    }
  }
}

TEST_P(HotSalvageTest, WithoutItsFolderOrMarkerItShowsTheRestAndTellsIt) {
  Fill(60, 60);
  Copy();
  for (const auto& entry : fs::directory_iterator(home_.Inside("damaged/hot"))) {
    if (entry.path().filename().string().starts_with("folded-")) fs::remove(entry.path());
  }
  Salvage();
  EXPECT_EQ(shown_, Without({})) << "records are blind writes, and all are there";
  ASSERT_EQ(given_up_.size(), 1U);
  EXPECT_NE(given_up_[0].find("the marker of the last fold is missing"), std::string::npos);
  Copy();
  fs::remove_all(home_.Inside("damaged/hot"));
  Salvage();
  EXPECT_EQ(shown_, folded_);
  ASSERT_EQ(given_up_.size(), 1U);
  EXPECT_NE(given_up_[0].find("no segment of the log is there"), std::string::npos);
}

TEST_P(HotSalvageTest, WithoutTablesItShowsTheLog) {
  Fill(60, 60);
  Copy();
  for (const auto& entry : fs::directory_iterator(home_.Inside("damaged"))) {
    if (entry.is_regular_file() && entry.path().filename() != "MAYFLY.key") {
      fs::remove(entry.path());
    }
  }
  Salvage();
  folded_ = {};
  EXPECT_EQ(shown_, Without({}));
  EXPECT_FALSE(given_up_.empty());
}

TEST_P(HotSalvageTest, AMissingTableLosesItsRowsAndNotThoseOfTheLog) {
  Fill(60, 60);
  std::vector<std::string> tables;
  for (const auto& entry : fs::directory_iterator(home_.Inside("db"))) {
    if (entry.path().extension() == ".sst") tables.push_back(entry.path().filename());
  }
  ASSERT_FALSE(tables.empty());
  State of_log;
  for (const auto& batch : batches_) Apply(*batch, of_log);
  const State whole = Without({});
  for (const std::string& table : tables) {
    Copy();
    fs::remove(home_.Inside("damaged/" + table));
    Salvage();
    EXPECT_EQ(given_up_.size(), 1U) << ::testing::PrintToString(given_up_);
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      for (const auto& [key, value] : of_log[i]) EXPECT_EQ(shown_[i].at(key), value);
      for (const auto& [key, value] : shown_[i]) EXPECT_EQ(whole[i].at(key), value);
    }
  }
}

// The writer must not go on meanwhile, and a kill leaves a log that was never closed.
TEST_P(HotSalvageTest, ItExcludesAWriterAndReadsWhatAKillLeft) {
  const auto engine = *OpenHotEngine(Cold("db"), {.segment_bytes = hot::kSegmentBytesMin,
                                                  .reserved_bytes = std::size_t{1} << 30,
                                                  .has_thread = false});
  Batch batch;
  batch.Put(kRowsAt, "k1", "v");
  ASSERT_TRUE(engine->Commit(batch).ok());
  RocksOptions options = Cold("db");
  options.read_only = true;
  EXPECT_EQ(OpenHotSalvageEngine(options).error().code(), StatusCode::kBusy);
  Copy();
  Salvage();
  Apply(batch, folded_);
  EXPECT_EQ(shown_, folded_);
  EXPECT_TRUE(given_up_.empty()) << ::testing::PrintToString(given_up_);
}

}  // namespace
}  // namespace mayfly::engine
