// Goal: a backup reads back as it was written, and a file that is not whole is never accepted.
// Method: a file of several blocks, read back; then cut at every byte, and with each byte flipped.
#include "core/upkeep/backup_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/temporary_directory.h"

namespace mayfly::core {
namespace {

class BackupFile : public ::testing::Test {
 protected:
  std::string file() const { return directory_.Inside("backup"); }

  // A backup with a row of `value_bytes` among small ones.
  void Write(std::size_t value_bytes) {
    auto writer = BackupWriter::Create(file(), WallTimeFromMs(42), 7);
    ASSERT_TRUE(writer.has_value()) << writer.status().ToString();
    ASSERT_TRUE(writer->AddKeyspace(7, "keyspace").ok());
    ASSERT_TRUE(writer->AddRow(7, "a", "row").ok());
    ASSERT_TRUE(writer->AddRow(7, std::string(1, '\0'), std::string(value_bytes, 'v')).ok());
    ASSERT_TRUE(writer->AddRow(7, "c", "").ok());
    const auto size = writer->Finish();
    ASSERT_TRUE(size.has_value()) << size.status().ToString();
    EXPECT_EQ(*size, std::filesystem::file_size(file()));
  }

  std::string Bytes() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  void Replace(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

  // Reads the whole file into records_.
  Status Read() {
    records_.clear();
    return ReadBackup(file(), {}, [this](const BackupRecord& record) {
      records_.push_back(record.kind + std::string(record.key) + "=" + std::string(record.data));
      return Status();
    });
  }

  TemporaryDirectory directory_;
  std::vector<std::string> records_;
};

TEST_F(BackupFile, GivesBackWhatWasWritten) {
  for (const std::size_t size : {std::size_t{5}, std::size_t{3} << 20}) {
    std::filesystem::remove(file());
    Write(size);
    ASSERT_TRUE(Read().ok());
    const std::vector<std::string> expected{
        "T=",
        "N=",
        "K=keyspace",
        "Ra=row",
        "R" + std::string(1, '\0') + "=" + std::string(size, 'v'),
        "Rc="};
    EXPECT_EQ(records_, expected);
    EXPECT_FALSE(std::filesystem::exists(file() + ".partial"));
  }
}

TEST_F(BackupFile, DoesNotAppearUntilItIsFinished) {
  {
    auto writer = BackupWriter::Create(file(), WallTimeFromMs(42), 7);
    ASSERT_TRUE(writer.has_value());
    ASSERT_TRUE(writer->AddRow(7, "key", "row").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_TRUE(Read().IsNotFound());
}

TEST_F(BackupFile, IsNeverWrittenOverAnother) {
  Write(5);
  EXPECT_EQ(BackupWriter::Create(file(), WallTimeFromMs(42), 7).status().code(),
            StatusCode::kInvalid);
}

TEST_F(BackupFile, IsRefusedWhenCutAnywhere) {
  Write(5);
  const std::string whole = Bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Replace(whole.substr(0, size));
    EXPECT_EQ(Read().code(), StatusCode::kCorruption) << size;
  }
}

TEST_F(BackupFile, IsRefusedWithAnyByteFlipped) {
  Write(5);
  const std::string whole = Bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    Replace(flipped);
    EXPECT_EQ(Read().code(), StatusCode::kCorruption) << at;
  }
}

TEST_F(BackupFile, IsRefusedWithoutItsEndOrWithSomethingBehindIt) {
  Write(std::size_t{3} << 20);  // Large, so that the end is in a block of its own.
  const std::string whole = Bytes();
  Replace(whole + "x");
  EXPECT_EQ(Read().code(), StatusCode::kCorruption);
  // The last block: 12 bytes of head, "Rc" and the end.
  const std::size_t last_block = 12 + (1 + 4 + 2 + 1) + (1 + 8);
  Replace(whole.substr(0, whole.size() - last_block));
  EXPECT_EQ(Read().code(), StatusCode::kCorruption);
}

TEST_F(BackupFile, StopsWhereItsReaderStops) {
  Write(5);
  int records = 0;
  const Status stopped = ReadBackup(file(), {}, [&](const BackupRecord&) {
    return ++records == 2 ? Status::Busy("enough") : Status();
  });
  EXPECT_EQ(stopped.code(), StatusCode::kBusy);
  EXPECT_EQ(records, 2);
}

}  // namespace
}  // namespace mayfly::core
