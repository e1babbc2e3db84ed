#include "core/upkeep/backup_file.h"

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
#include "crypto/cipher.h"
#include "crypto/file_header.h"

namespace mayfly::core {
namespace {

constexpr Bytes kMagic = "mayfly backup 4\n";
// Still read: formats without versions, without collections, and without the last event's sequence.
constexpr Bytes kFirstMagic = "mayfly backup 1\n";
constexpr Bytes kSecondMagic = "mayfly backup 2\n";
constexpr Bytes kThirdMagic = "mayfly backup 3\n";
static_assert(kMagic.size() == kFirstMagic.size() && kMagic.size() == kSecondMagic.size() &&
              kMagic.size() == kThirdMagic.size());

constexpr Bytes kSealedMagic = "mayfly sealed 1\n";
static_assert(kSealedMagic.size() == kMagic.size());
constexpr Bytes kPurpose = "backup";  // Separates its keys from those of the engine's files.
constexpr std::size_t kKeyTextBytesMax = 4096;

// The number of a block is its nonce: each file has a key of its own. It also keeps blocks in their
// order.
std::string NonceOf(std::uint64_t block) {
  std::string nonce;
  AppendLittleEndian64(nonce, block);
  nonce.resize(crypto::kGcmNonceBytes, '\0');
  return nonce;
}

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
  if (file.empty()) {
    return Status::Invalid("no file is named; name one for the backup that does not exist yet");
  }
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
                                          std::uint64_t last_event,
                                          const crypto::DatabaseKey* key) {
  MAYFLY_RETURN_IF_ERROR(CheckFree(file));
  constexpr mode_t kMode = 0666;
  const int descriptor =
      ::open(PartialOf(file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (descriptor < 0) return Failed("create", file);
  BackupWriter writer(file, descriptor);
  MAYFLY_RETURN_IF_ERROR(writer.WriteHead(key));
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
      rows_(other.rows_),
      seal_(std::move(other.seal_)),
      blocks_(other.blocks_) {}

Status BackupWriter::WriteHead(const crypto::DatabaseKey* key) {
  if (key == nullptr) return Write(kMagic);
  MAYFLY_TRY(crypto::FileHeader header, crypto::NewFileHeader(*key, kPurpose));
  seal_ = std::move(header.key);
  std::string head(kSealedMagic);
  AppendLittleEndian32(head, static_cast<std::uint32_t>(key->text().size()));
  head += key->text();
  head += header.bytes;
  return Write(head);
}

BackupWriter::~BackupWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  static_cast<void>(RemovePartial(file_));  // BackupBook still has it if this fails.
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
  if (!seal_.empty()) {
    std::string sealed(block_.size() + crypto::kTagBytes, '\0');
    MAYFLY_RETURN_IF_ERROR(
        crypto::Seal(seal_, NonceOf(blocks_), kSealedMagic, block_, sealed.data()));
    block_ = std::move(sealed);
  }
  ++blocks_;
  AppendLittleEndian32(head, static_cast<std::uint32_t>(block_.size()));
  if (seal_.empty()) AppendLittleEndian64(head, Hash64(block_));
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
    ::unlink(file_.c_str());  // It failed, so no file of that name must stay.
    return synced;
  }
  return bytes_;
}

Status RemovePartial(const std::string& file) {
  std::error_code error;
  const std::uintmax_t removed = std::filesystem::remove_all(PartialOf(file), error);
  if (error) return Failed("remove what is left of", file, error.value());
  return removed == 0 ? Status() : SyncFolderOf(file);
}

namespace {

// The blocks of a backup, checked and decrypted.
class BlockReader {
 public:
  static Result<BlockReader> Open(const std::string& file, const BackupKeys& keys) {
    BlockReader reader(file);
    if (!reader.stream_) {
      return Status::NotFound(fmt::format("cannot open the backup {}; check the path", file));
    }
    std::string magic;
    if (!reader.Read(kMagic.size(), magic) || (!IsMagic(magic) && magic != kSealedMagic)) {
      return Status::Corruption(fmt::format("{} is not a backup that this build can read", file));
    }
    if (magic == kSealedMagic) MAYFLY_RETURN_IF_ERROR(reader.Unlock(keys));
    return reader;
  }

  Status Next(std::string& block) {
    offset_ = static_cast<std::uint64_t>(stream_.tellg());
    std::string head;
    std::uint32_t length = 0;
    std::uint64_t hash = 0;
    if (!Read(seal_.empty() ? 12 : 4, head)) return Broken();
    Bytes rest = head;
    if (!EatLittleEndian32(rest, length) || (seal_.empty() && !EatLittleEndian64(rest, hash)) ||
        length == 0 || length > kBlockBytesMax || !Read(length, block)) {
      return Broken();
    }
    if (seal_.empty()) return Hash64(block) == hash ? Status() : Broken();
    if (length <= crypto::kTagBytes) return Broken();
    std::string plain(length - crypto::kTagBytes, '\0');
    MAYFLY_TRY(const bool good,
               crypto::Unseal(seal_, NonceOf(blocks_), kSealedMagic, block, plain.data()));
    if (!good) return Broken();
    ++blocks_;
    block = std::move(plain);
    return {};
  }

  bool AtEnd() { return stream_.peek() == EOF; }

  // The error for the block that was read last.
  Status Broken() const { return Damaged(file_, offset_); }

 private:
  explicit BlockReader(const std::string& file) : file_(file), stream_(file, std::ios::binary) {}

  bool Read(std::size_t bytes, std::string& out) {
    out.resize(bytes);
    stream_.read(out.data(), static_cast<std::streamsize>(bytes));
    return static_cast<bool>(stream_);
  }

  Status Unlock(const BackupKeys& keys) {
    std::string size;
    std::string text;
    std::string header;
    std::uint32_t length = 0;
    if (!Read(4, size)) return Broken();
    Bytes rest = size;
    if (!EatLittleEndian32(rest, length) || length > kKeyTextBytesMax || !Read(length, text) ||
        !Read(crypto::kFileHeaderBytes, header)) {
      return Broken();
    }
    if (keys.password.empty()) return UnlockWithOwn(keys.own.get(), header);
    const auto key = crypto::DatabaseKey::Open(text, keys.password);
    if (!key) {
      return Status(key.error().code(),
                    fmt::format("the backup {}: {}", file_, key.error().message()));
    }
    MAYFLY_TRY(seal_, crypto::OpenFileHeader(**key, kPurpose, header));
    return {};
  }

  Status UnlockWithOwn(const crypto::DatabaseKey* own, Bytes header) {
    if (own != nullptr) {
      auto opened = crypto::OpenFileHeader(*own, kPurpose, header);
      if (opened) {
        seal_ = *std::move(opened);
        return {};
      }
    }
    return Status::WrongPassword(
        fmt::format("the backup {} is encrypted; give the password its database had", file_));
  }

  std::string file_;
  std::ifstream stream_;
  crypto::Secret seal_;  // Empty: not encrypted.
  std::uint64_t blocks_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace

Status ReadBackup(const std::string& file, const BackupKeys& keys,
                  FunctionRef<Status(const BackupRecord&)> take) {
  MAYFLY_TRY(BlockReader reader, BlockReader::Open(file, keys));
  std::uint64_t rows = 0;
  std::string block;
  for (;;) {
    MAYFLY_RETURN_IF_ERROR(reader.Next(block));
    for (Bytes records = block; !records.empty();) {
      BackupRecord record;
      if (!EatRecord(records, record)) return reader.Broken();
      rows += record.kind == 'R';
      if (record.kind == 'E') {
        const bool whole = record.number == rows && records.empty() && reader.AtEnd();
        return whole ? Status() : reader.Broken();
      }
      MAYFLY_RETURN_IF_ERROR(take(record));
    }
  }
}

}  // namespace mayfly::core
