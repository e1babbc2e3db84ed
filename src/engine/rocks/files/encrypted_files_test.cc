// Encrypted files read as they were written, also after a crash or a full disk.
// Method: files written and read through the layer, and changed beneath it.
#include "engine/rocks/files/encrypted_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_directory.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine {
namespace {

constexpr std::size_t kHeader = 8192;
constexpr std::size_t kSector = 4096;

class EncryptedFiles : public ::testing::Test {
 protected:
  EncryptedFiles() { std::filesystem::create_directory(directory_.Inside("db")); }

  std::string path() const { return directory_.Inside("db/000001.log"); }

  std::unique_ptr<rocksdb::WritableFile> Make() {
    std::unique_ptr<rocksdb::WritableFile> file;
    EXPECT_TRUE(files_->NewWritableFile(path(), &file, {}).ok());
    return file;
  }

  void Write(const std::string& text) {
    const auto file = Make();
    EXPECT_TRUE(file->Append(text).ok());
    EXPECT_TRUE(file->Close().ok());
  }

  // From its start, in pieces.
  std::string Read() const {
    std::unique_ptr<rocksdb::SequentialFile> file;
    const rocksdb::Status opened = files_->NewSequentialFile(path(), &file, {});
    if (!opened.ok()) return opened.ToString();
    std::string text;
    std::string scratch(7, '\0');
    for (rocksdb::Slice piece; file->Read(scratch.size(), &piece, scratch.data()).ok();) {
      if (piece.empty()) break;
      text.append(piece.data(), piece.size());
    }
    return text;
  }

  std::string ReadAt(std::uint64_t offset, std::size_t bytes) const {
    std::unique_ptr<rocksdb::RandomAccessFile> file;
    EXPECT_TRUE(files_->NewRandomAccessFile(path(), &file, {}).ok());
    std::string scratch(bytes, '\0');
    rocksdb::Slice piece;
    EXPECT_TRUE(file->Read(offset, bytes, &piece, scratch.data()).ok());
    return piece.ToString();
  }

  std::uint64_t Size() const {
    std::uint64_t bytes = 0;
    EXPECT_TRUE(files_->GetFileSize(path(), &bytes).ok());
    return bytes;
  }

  std::string Raw() const {
    std::ifstream file(path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  TemporaryDirectory directory_;
  FaultyDisk disk_;
  std::unique_ptr<rocksdb::Env> files_ =
      NewEncryptedFiles(*disk_.env(), crypto::DatabaseKey::Make("password").value());
};

TEST_F(EncryptedFiles, ReadAsTheyWereWritten) {
  const std::string text(200'000, 'x');  // More than is encrypted at a time.
  Write(text);
  EXPECT_EQ(Read(), text);
  EXPECT_EQ(ReadAt(100'001, 5), "xxxxx");
  EXPECT_EQ(ReadAt(199'999, 5), "x");
  EXPECT_EQ(ReadAt(200'000, 5), "");
  EXPECT_EQ(Size(), text.size());
  EXPECT_EQ(Raw().size(), text.size() + kHeader);
  std::ofstream(directory_.Inside("db/MAYFLY")) << "own";
  std::vector<rocksdb::Env::FileAttributes> listed;
  ASSERT_TRUE(files_->GetChildrenFileAttributes(directory_.Inside("db"), &listed).ok());
  for (const auto& file : listed) {
    EXPECT_EQ(file.size_bytes, file.name == "MAYFLY" ? 3u : text.size()) << file.name;
  }
  EXPECT_EQ(Raw().find("xxxx"), std::string::npos);
}

TEST_F(EncryptedFiles, AreEmptyUntilSomethingIsWritten) {
  disk_.SetFull(true);
  auto file = Make();  // Needs no room.
  EXPECT_EQ(Raw(), "");
  EXPECT_EQ(Read(), "");
  EXPECT_EQ(Size(), 0u);
  EXPECT_FALSE(file->Append("text").ok());
  disk_.SetFull(false);
  EXPECT_EQ(Read(), "") << "half of a header";
  EXPECT_TRUE(file->Append("text").ok());
  EXPECT_EQ(Read(), "text") << "the other half came first";
}

TEST_F(EncryptedFiles, GoOnBehindWhatAFullDiskTook) {
  auto file = Make();
  ASSERT_TRUE(file->Append("first ").ok());
  disk_.SetFull(true);
  EXPECT_FALSE(file->Append("second").ok());
  disk_.SetFull(false);
  ASSERT_TRUE(file->Append(" third").ok());
  EXPECT_EQ(Read(), "first sec third") << "as a file that is not encrypted would";
}

TEST_F(EncryptedFiles, AreEmptyWhenTheirHeaderNeverReachedTheDisk) {
  Write("text");
  const std::string good = Raw();
  for (std::size_t size = 0; size < kHeader; size += size < 64 || size > kHeader - 64 ? 1 : 63) {
    std::ofstream(path(), std::ios::binary) << good.substr(0, size);
    ASSERT_EQ(Read(), "") << size;
    ASSERT_EQ(Size(), 0u) << size;
    ASSERT_EQ(ReadAt(0, 4), "") << size;
  }
  std::ofstream(path(), std::ios::binary) << std::string(good.size(), '\0');
  EXPECT_EQ(Read(), "");
}

TEST_F(EncryptedFiles, AreReadWhenASectorOfTheirHeaderIsDamaged) {
  Write("text");
  const std::string good = Raw();
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, std::size_t{45}}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(path(), std::ios::binary) << bad;
    EXPECT_EQ(Read(), "text") << at;
    EXPECT_EQ(ReadAt(0, 4), "text") << at;
  }
  for (const std::size_t sector : {std::size_t{0}, kSector}) {
    std::string bad = good;
    bad.replace(sector, kSector, kSector, '\0');
    std::ofstream(path(), std::ios::binary) << bad;
    EXPECT_EQ(Read(), "text") << sector;
  }
  std::string bad = good;
  bad[9] = static_cast<char>(bad[9] ^ 1);
  bad[kSector + 9] = static_cast<char>(bad[kSector + 9] ^ 1);
  std::ofstream(path(), std::ios::binary) << bad;
  EXPECT_NE(Read().find("Corruption"), std::string::npos);
}

TEST_F(EncryptedFiles, AreNeverWrittenTwice) {
  Write("text");
  const std::string first = Raw();
  std::unique_ptr<rocksdb::WritableFile> again;
  std::unique_ptr<rocksdb::RandomRWFile> anywhere;
  EXPECT_TRUE(files_->ReopenWritableFile(path(), &again, {}).IsNotSupported());
  EXPECT_TRUE(files_->ReuseWritableFile(path() + "x", path(), &again, {}).IsNotSupported());
  EXPECT_TRUE(files_->NewRandomRWFile(path(), &anywhere, {}).IsNotSupported());
  const auto file = Make();
  ASSERT_TRUE(file->Append("text").ok());
  EXPECT_NE(Raw().substr(8, 32), first.substr(8, 32)) << "the same name, and another nonce";
  EXPECT_TRUE(file->PositionedAppend("more", 0).IsNotSupported());
  ASSERT_TRUE(file->Truncate(2).ok());
  EXPECT_TRUE(file->Append("more").IsNotSupported());
}

TEST_F(EncryptedFiles, LeaveOurOwnFilesAlone) {
  EXPECT_TRUE(IsPlainFile("/db/MAYFLY"));
  EXPECT_TRUE(IsPlainFile("MAYFLY.key.new"));
  EXPECT_TRUE(IsPlainFile("/db/RESERVE"));
  EXPECT_FALSE(IsPlainFile("/MAYFLY/CURRENT"));
  EXPECT_FALSE(IsPlainFile("/db/000001.sst"));
}

}  // namespace
}  // namespace mayfly::engine
