#include "core/backup_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/checksum.h"
#include "base/coding.h"
#include "base/replace_file.h"

namespace mayfly::core {
namespace {

constexpr Bytes kMagic = "mayfly backup 4\n";
// Still read: without versions, without collections, and without the sequence of the last event.
constexpr Bytes kFirstMagic = "mayfly backup 1\n";
constexpr Bytes kSecondMagic = "mayfly backup 2\n";
constexpr Bytes kThirdMagic = "mayfly backup 3\n";
static_assert(kMagic.size() == kFirstMagic.size() && kMagic.size() == kSecondMagic.size() &&
              kMagic.size() == kThirdMagic.size());

bool IsMagic(Bytes magic) {
  return magic == kMagic || magic == kFirstMagic || magic == kSecondMagic || magic == kThirdMagic;
}

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
// A record is at most a key and a value; the rest is slack for framing.
constexpr std::size_t kBlockBytesMax = std::size_t{512} << 20;

Status Failed(const char* what, const std::string& file, int error = errno) {
  return Status::IoError(fmt::format("cannot {} the backup {}: {}", what, file,
                                     std::generic_category().message(error)));
}

Status Damaged(const std::string& file, std::uint64_t offset) {
  return Status::Corruption(
      fmt::format("the backup {} is damaged in the block at byte {}; take another", file, offset));
}

bool EatRecord(Bytes& in, BackupRecord& record) {
  record = {};
  record.kind = in.front();
  in.remove_prefix(1);
  switch (record.kind) {
    case 'T':
    case 'N':
    case 'E': return EatLittleEndian64(in, record.number);
    case 'K': return EatLittleEndian32(in, record.keyspace) && EatSized(in, record.data);
    case 'R':
    case 'V':
    case 'M':
    case 'S':
      return EatLittleEndian32(in, record.keyspace) && EatSized(in, record.key) &&
             EatSized(in, record.data);
    default: return false;
  }
}

}  // namespace

Status BackupWriter::CheckFree(const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    return Status::Invalid(
        fmt::format("{} exists already; name another file for the backup", file));
  }
  if (!std::filesystem::exists(PartialOf(file), error)) return {};
  return Status::Busy(
      fmt::format("{} exists: a backup is being written there, or was cut off; name another file, "
                  "or remove that one",
                  PartialOf(file)));
}

Result<BackupWriter> BackupWriter::Create(const std::string& file, WallTime taken_at,
                                          std::uint64_t last_event) {
  MAYFLY_RETURN_IF_ERROR(CheckFree(file));
  constexpr mode_t kMode = 0666;
  const int descriptor =
      ::open(PartialOf(file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (descriptor < 0) return Failed("create", file);
  BackupWriter writer(file, descriptor);
  MAYFLY_RETURN_IF_ERROR(writer.Write(kMagic));
  writer.block_.push_back('T');
  AppendLittleEndian64(writer.block_, static_cast<std::uint64_t>(ToMs(taken_at)));
  writer.block_.push_back('N');
  AppendLittleEndian64(writer.block_, last_event);
  return writer;
}

BackupWriter::BackupWriter(BackupWriter&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      block_(std::move(other.block_)),
      bytes_(other.bytes_),
      rows_(other.rows_) {}

BackupWriter::~BackupWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  static_cast<void>(RemovePartial(file_));  // Whoever wonders looks into the book.
}

Status BackupWriter::AddKeyspace(KeyspaceId id, Bytes encoded) {
  block_.push_back('K');
  AppendLittleEndian32(block_, id);
  AppendSized(block_, encoded);
  return FlushIfFull();
}

Status BackupWriter::AddRow(KeyspaceId id, Bytes key, Bytes row) {
  ++rows_;
  return Add('R', id, key, row);
}

Status BackupWriter::AddVersion(KeyspaceId id, Bytes member_key, Bytes version) {
  return Add('V', id, member_key, version);
}

Status BackupWriter::Add(char kind, KeyspaceId id, Bytes key, Bytes data) {
  block_.push_back(kind);
  AppendLittleEndian32(block_, id);
  AppendSized(block_, key);
  AppendSized(block_, data);
  return FlushIfFull();
}

Status BackupWriter::FlushIfFull() { return block_.size() < kBlockBytes ? Status() : Flush(); }

Status BackupWriter::Flush() {
  std::string head;
  AppendLittleEndian32(head, static_cast<std::uint32_t>(block_.size()));
  AppendLittleEndian64(head, Hash64(block_));
  MAYFLY_RETURN_IF_ERROR(Write(head));
  MAYFLY_RETURN_IF_ERROR(Write(block_));
  block_.clear();
  return {};
}

Status BackupWriter::Write(Bytes bytes) {
  MAYFLY_RETURN_IF_ERROR(WriteAll(descriptor_, bytes, PartialOf(file_)));
  bytes_ += bytes.size();
  return {};
}

Result<std::uint64_t> BackupWriter::Finish() {
  block_.push_back('E');
  AppendLittleEndian64(block_, rows_);
  MAYFLY_RETURN_IF_ERROR(Flush());
  if (::fsync(descriptor_) != 0) return Failed("sync", file_);
  std::error_code error;
  std::filesystem::rename(PartialOf(file_), file_, error);
  if (error) return Failed("name", file_, error.value());
  ::close(std::exchange(descriptor_, -1));
  if (const Status synced = SyncFolderOf(file_); !synced.ok()) {
    ::unlink(file_.c_str());  // It failed, and nobody would know of it.
    return synced;
  }
  return bytes_;
}

Status RemovePartial(const std::string& file) {
  if (::unlink(PartialOf(file).c_str()) == 0) return SyncFolderOf(file);
  return errno == ENOENT ? Status() : Failed("remove what is left of", file);
}

Status ReadBackup(const std::string& file, FunctionRef<Status(const BackupRecord&)> take) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return Status::NotFound(fmt::format("cannot open the backup {}; check the path", file));
  std::string magic(kMagic.size(), '\0');
  stream.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  if (!stream || !IsMagic(magic)) {
    return Status::Corruption(fmt::format("{} is not a backup that this build can read", file));
  }
  std::uint64_t rows = 0;
  std::string block;
  for (;;) {
    const auto offset = static_cast<std::uint64_t>(stream.tellg());
    std::string head(12, '\0');
    stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    Bytes rest = head;
    std::uint32_t length = 0;
    std::uint64_t hash = 0;
    if (!stream || !EatLittleEndian32(rest, length) || !EatLittleEndian64(rest, hash) ||
        length == 0 || length > kBlockBytesMax) {
      return Damaged(file, offset);
    }
    block.resize(length);
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (!stream || Hash64(block) != hash) return Damaged(file, offset);
    for (Bytes records = block; !records.empty();) {
      BackupRecord record;
      if (!EatRecord(records, record)) return Damaged(file, offset);
      rows += record.kind == 'R';
      if (record.kind == 'E') {
        const bool whole = record.number == rows && records.empty() && stream.peek() == EOF;
        return whole ? Status() : Damaged(file, offset);
      }
      MAYFLY_RETURN_IF_ERROR(take(record));
    }
  }
}

}  // namespace mayfly::core
