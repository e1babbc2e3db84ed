#include "core/backup_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/checksum.h"
#include "base/coding.h"

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

Status Failed(const char* what, const std::string& file) {
  return Status::IoError(fmt::format("cannot {} the backup {}: {}", what, file,
                                     std::generic_category().message(errno)));
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

Result<BackupWriter> BackupWriter::Create(const std::string& file, WallTime taken_at,
                                          std::uint64_t last_event) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    return Status::Invalid(
        fmt::format("{} exists already; name another file for the backup", file));
  }
  BackupWriter writer(file, std::ofstream(file + ".partial", std::ios::binary | std::ios::trunc));
  if (!writer.stream_) return Failed("create", file);
  writer.stream_ << kMagic;
  writer.block_.push_back('T');
  AppendLittleEndian64(writer.block_, static_cast<std::uint64_t>(ToMs(taken_at)));
  writer.block_.push_back('N');
  AppendLittleEndian64(writer.block_, last_event);
  return writer;
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
  stream_ << head << block_;
  block_.clear();
  return stream_ ? Status() : Failed("write", file_);
}

Result<std::uint64_t> BackupWriter::Finish() {
  block_.push_back('E');
  AppendLittleEndian64(block_, rows_);
  MAYFLY_RETURN_IF_ERROR(Flush());
  const auto size = static_cast<std::uint64_t>(stream_.tellp());
  stream_.close();
  if (!stream_) return Failed("write", file_);
  const int descriptor = ::open(partial().c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) return Failed("sync", file_);
  std::error_code error;
  std::filesystem::rename(partial(), file_, error);
  if (error) {
    return Status::IoError(fmt::format("cannot name the backup {}: {}", file_, error.message()));
  }
  return size;
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
