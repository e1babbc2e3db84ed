// Goal: damage in a log costs a salvage the batches it hit, whole, and nothing else; its place is
// reported. Method: a log of known batches, parsed frame by frame; bytes of chosen frames are
// flipped or zeroed, and the rows left are compared with those written.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/files/log_format.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

namespace fs = std::filesystem;

constexpr Address kAtLogged{Role::kRows};
constexpr int kBatches = 1000;

std::string KeyOf(int batch, int row) {
  return "key" + std::to_string(10000 + batch) + "." + std::to_string(row);
}

// Where a frame of the log lies.
struct Place {
  std::size_t offset = 0;
  std::size_t bytes = 0;  // With its header.
  unsigned kind = 0;
};

class DamagedLog : public ::testing::Test {
 protected:
  // Batch by batch, each with `rows` rows whose values `value_of` gives.
  template <typename ValueOf>
  void Write(int rows, ValueOf value_of) {
    auto engine = OpenRocksEngine({.directory = Path(), .profile = Profile::kTiny});
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    for (int batch = 0; batch < kBatches; ++batch) {
      Batch changes;
      for (int row = 0; row < rows; ++row)
        changes.Put(kAtLogged, KeyOf(batch, row), value_of(batch));
      ASSERT_TRUE((*engine)->Commit(changes).ok());
    }
    ASSERT_TRUE((*engine)->Close().ok());
    for (const auto& entry : fs::directory_iterator(Path())) {
      if (entry.path().extension() == ".log" && fs::file_size(entry.path()) > log_.size()) {
        path_ = entry.path();
        std::ifstream file(path_, std::ios::binary);
        log_.assign(std::istreambuf_iterator<char>(file), {});
      }
    }
    ASSERT_GT(log_.size(), 3 * kLogBlockBytes);
    FindFrames();
  }

  void WriteSmall() {
    Write(1, [](int batch) { return Random(static_cast<std::uint64_t>(batch)).Bytes(100); });
  }

  void FindFrames() {
    for (std::size_t at = 0; at + kFrameHeaderBytes <= log_.size();) {
      const std::size_t left = kLogBlockBytes - at % kLogBlockBytes;
      if (left < kFrameHeaderBytes) {
        at += left;
        continue;
      }
      const Frame frame = ReadFrame(Bytes(log_).substr(at));
      ASSERT_TRUE(frame.HasKnownKind());
      frames_.push_back({at, kFrameHeaderBytes + frame.length, frame.kind});
      at += frames_.back().bytes;
    }
  }

  // Some whole record in the middle of a block, and of the log.
  std::size_t AWholeFrame() const {
    for (std::size_t i = frames_.size() / 2; i < frames_.size(); ++i) {
      const std::size_t in_block = frames_[i].offset % kLogBlockBytes;
      if (frames_[i].kind == kWholeRecord && in_block > kLogBlockBytes / 4 &&
          in_block < kLogBlockBytes / 2) {
        return i;
      }
    }
    ADD_FAILURE() << "there is none";
    return 0;
  }

  void Flip(std::string& log, std::size_t at) { log[at] = static_cast<char>(log[at] ^ 0x5a); }

  // How many rows of each batch a salvage of such a log shows.
  std::vector<int> SalvagedFrom(const std::string& log) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << log;
    const auto engine = OpenRocksEngine({.directory = Path(),
                                         .read_only = true,
                                         .create_if_missing = false,
                                         .profile = Profile::kTiny,
                                         .salvage = true});
    EXPECT_TRUE(engine.has_value()) << engine.status().ToString();
    std::vector<int> found(kBatches);
    strangers_ = 0;
    const auto cursor = *(*engine)->NewCursor(kAtLogged);
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      if (cursor->key().starts_with("key")) {
        ++found[std::stoul(std::string(cursor->key().substr(3, 5))) - 10000];
      } else {
        ++strangers_;
      }
    }
    given_up_ = (*engine)->Stats()->given_up;
    return found;
  }

  // Batches of which nothing is left. Fails the test for one that is there in part.
  int Missing(const std::vector<int>& found, int rows) {
    int missing = 0;
    for (const int count : found) {
      EXPECT_TRUE(count == 0 || count == rows) << "half a batch";
      missing += count == 0 ? 1 : 0;
    }
    return missing;
  }

  std::string PlaceIs(std::size_t offset, std::size_t bytes) const {
    return path_.filename().string() + ": " + std::to_string(bytes) + " bytes from byte " +
           std::to_string(offset) + " on cannot be read";
  }

  std::string Path() const { return directory_.Inside("db"); }

  TemporaryDirectory directory_;
  fs::path path_;
  std::string log_;
  std::vector<Place> frames_;
  std::vector<std::string> given_up_;
  int strangers_ = 0;
};

TEST_F(DamagedLog, LosesOneRecordForOneByte) {
  WriteSmall();
  const Place hit = frames_[AWholeFrame()];
  for (std::size_t byte = 0; byte < hit.bytes; byte += byte < kFrameHeaderBytes ? 1 : 29) {
    SCOPED_TRACE("byte " + std::to_string(byte));
    std::string log = log_;
    Flip(log, hit.offset + byte);
    EXPECT_EQ(Missing(SalvagedFrom(log), 1), 1);
    EXPECT_EQ(given_up_, std::vector<std::string>{PlaceIs(hit.offset, hit.bytes)});
  }
}

TEST_F(DamagedLog, LosesNoMoreThanTheRecordsThatASmearHits) {
  WriteSmall();
  const std::size_t first = AWholeFrame();
  const Place last = frames_[first + 2];
  std::string log = log_;
  // From the middle of one to behind the header of the third.
  for (std::size_t at = frames_[first].offset + 20; at < last.offset + 20; ++at) Flip(log, at);
  EXPECT_EQ(Missing(SalvagedFrom(log), 1), 3);
  EXPECT_EQ(given_up_,
            std::vector<std::string>{
                PlaceIs(frames_[first].offset, last.offset + last.bytes - frames_[first].offset)});
}

TEST_F(DamagedLog, TellsTwoPlacesApart) {
  WriteSmall();
  const std::size_t first = AWholeFrame();
  std::string log = log_;
  Flip(log, frames_[first].offset + 4);
  Flip(log, frames_[first + 3].offset + 30);
  EXPECT_EQ(Missing(SalvagedFrom(log), 1), 2);
  EXPECT_EQ(given_up_, (std::vector<std::string>{
                           PlaceIs(frames_[first].offset, frames_[first].bytes),
                           PlaceIs(frames_[first + 3].offset, frames_[first + 3].bytes)}));
}

TEST_F(DamagedLog, ADamagedLengthInTheLastBlockIsNotTakenForItsEnd) {
  WriteSmall();
  const Place hit = frames_[frames_.size() - 10];
  std::string log = log_;
  log[hit.offset + 5] = '\x7f';
  EXPECT_EQ(Missing(SalvagedFrom(log), 1), 1);
  EXPECT_EQ(given_up_, std::vector<std::string>{PlaceIs(hit.offset, hit.bytes)});
}

TEST_F(DamagedLog, ABatchThatLostAFragmentIsLostWhole) {
  constexpr int kLoggedRows = 40;
  Write(kLoggedRows, [](int batch) { return Random(static_cast<std::uint64_t>(batch)).Bytes(50); });
  std::set<unsigned> seen;
  for (const Place& frame : frames_) {
    if (frame.kind == kWholeRecord || frame.offset < log_.size() / 2) continue;
    if (!seen.insert(frame.kind).second) continue;
    SCOPED_TRACE("kind " + std::to_string(frame.kind));
    std::string log = log_;
    Flip(log, frame.offset + frame.bytes / 2);
    EXPECT_EQ(Missing(SalvagedFrom(log), kLoggedRows), 1);
    EXPECT_EQ(given_up_, std::vector<std::string>{PlaceIs(frame.offset, frame.bytes)});
  }
  EXPECT_GE(seen.size(), 2U);
}

TEST_F(DamagedLog, ABlockOfZerosIsToldAndJoinsNoHalves) {
  constexpr int kLoggedRows = 40;
  Write(kLoggedRows, [](int batch) { return Random(static_cast<std::uint64_t>(batch)).Bytes(50); });
  std::string log = log_;
  log.replace(2 * kLogBlockBytes, kLogBlockBytes, kLogBlockBytes, '\0');
  const int missing = Missing(SalvagedFrom(log), kLoggedRows);
  EXPECT_GT(missing, 5);
  EXPECT_LT(missing, 20) << "those of a block, and of its two ends";
  EXPECT_EQ(given_up_, std::vector<std::string>{PlaceIs(2 * kLogBlockBytes, kLogBlockBytes)});
}

TEST_F(DamagedLog, RoomBehindItsEndIsNoDamage) {
  WriteSmall();
  EXPECT_EQ(Missing(SalvagedFrom(log_ + std::string(3 * kLogBlockBytes, '\0')), 1), 0);
  EXPECT_TRUE(given_up_.empty()) << given_up_.front();
}

// Small records of another database, whose sequence numbers begin behind `commits_before`.
std::string LogOfAnother(const std::string& path, int commits_before) {
  const auto engine = *OpenRocksEngine({.directory = path, .profile = Profile::kTiny});
  Batch before;
  for (int i = 0; i < commits_before; ++i) before.Put(kAtLogged, "before" + std::to_string(i), "x");
  EXPECT_TRUE(engine->Commit(before).ok());
  EXPECT_TRUE(engine->Flush().ok());
  for (int i = 0; i < 10; ++i) {
    Batch batch;
    batch.Put(kAtLogged, "stranger" + std::to_string(i), "x");
    EXPECT_TRUE(engine->Commit(batch).ok());
  }
  EXPECT_TRUE(engine->Close().ok());
  std::string newest;
  fs::path name;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() != ".log" || entry.path() < name) continue;
    name = entry.path();
    std::ifstream file(name, std::ios::binary);
    newest.assign(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_NE(newest.find("stranger9"), std::string::npos);
  return newest;
}

// Values may be copies of logs. A search for the next sound record in a damaged log must not apply
// records within values.
TEST_F(DamagedLog, RecordsWithinValuesAreNotTakenForItsOwn) {
  for (const int commits_before : {1, 100'000}) {
    SCOPED_TRACE("behind " + std::to_string(commits_before));
    fs::remove_all(Path());
    log_.clear();
    frames_.clear();
    const std::string value =
        LogOfAnother(directory_.Inside("other" + std::to_string(commits_before)), commits_before);
    Write(1, [&value](int) { return value; });
    // At the end of the log, too, where no sound block follows.
    for (const std::size_t frame : {AWholeFrame(), frames_.size() - 3}) {
      const Place hit = frames_[frame];
      std::string log = log_;
      Flip(log, hit.offset + 4);
      Flip(log, hit.offset + 5);
      EXPECT_EQ(Missing(SalvagedFrom(log), 1), 1);
      EXPECT_EQ(strangers_, 0);
      EXPECT_EQ(given_up_, std::vector<std::string>{PlaceIs(hit.offset, hit.bytes)});
    }
  }
}

}  // namespace
}  // namespace mayfly::engine
