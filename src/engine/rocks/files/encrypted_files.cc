#include "engine/rocks/files/encrypted_files.h"

#include <rocksdb/file_system.h>

#include <algorithm>
#include <string>
#include <utility>

#include "crypto/cipher.h"
#include "crypto/file_header.h"
#include "engine/disk/disk_reserve.h"
#include "engine/rocks/files/format_file.h"

namespace mayfly::engine {
namespace {

using crypto::CounterCipher;
using crypto::DatabaseKey;
using crypto::kHeaderBlockBytes;
using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

using Cipher = std::shared_ptr<const CounterCipher>;  // Null: the file has no header, so no bytes.

constexpr Bytes kPurpose = "file";
constexpr std::size_t kAppendBytes = std::size_t{64} << 10;  // Encrypted at a time.

Bytes ToBytes(const Slice& slice) { return {slice.data(), slice.size()}; }

IOStatus FromStatus(const Status& status, const std::string& path) {
  if (status.ok()) return IOStatus::OK();
  const std::string text(status.message());
  return status.code() == StatusCode::kCorruption ? IOStatus::Corruption(text, path)
                                                  : IOStatus::IOError(text, path);
}

IOStatus CipherFailed() { return IOStatus::IOError("OpenSSL refused to encrypt or decrypt"); }

IOStatus NeverTwice(const std::string& what) {
  return IOStatus::NotSupported(what, "an encrypted file is written once, from its start");
}

std::uint64_t WithoutHeader(std::uint64_t bytes) {
  return bytes - std::min<std::uint64_t>(bytes, kHeaderBlockBytes);
}

// The cipher of a file that begins with `header`; null when the header never reached the disk.
IOStatus OpenHeader(const DatabaseKey& key, Bytes header, const std::string& path, Cipher& cipher) {
  if (header.size() < kHeaderBlockBytes || header.find_first_not_of('\0') == Bytes::npos) {
    return IOStatus::OK();
  }
  const auto file_key = crypto::OpenHeaderBlock(key, kPurpose, header);
  if (!file_key) return FromStatus(file_key.error(), path);
  auto made = CounterCipher::Make(*file_key);
  if (!made) return FromStatus(made.error(), path);
  cipher = *std::move(made);
  return IOStatus::OK();
}

// Decrypts the bytes read at `offset` into `scratch`, where they are already or are copied to.
IOStatus Decrypt(const CounterCipher& cipher, std::uint64_t offset, Slice* result, char* scratch) {
  if (!cipher.Apply(offset, ToBytes(*result), scratch)) return CipherFailed();
  *result = Slice(scratch, result->size());
  return IOStatus::OK();
}

class SequentialFile final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  // `file` is positioned after its header.
  SequentialFile(std::unique_ptr<rocksdb::FSSequentialFile> file, Cipher cipher)
      : FSSequentialFileOwnerWrapper(std::move(file)), cipher_(std::move(cipher)) {}

  IOStatus Read(std::size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    *result = Slice(scratch, 0);
    if (cipher_ == nullptr) return IOStatus::OK();
    IOStatus status = FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, debug);
    if (!status.ok()) return status;
    status = Decrypt(*cipher_, offset_, result, scratch);
    offset_ += result->size();
    return status;
  }

  IOStatus Skip(std::uint64_t n) override {
    offset_ += n;
    return FSSequentialFileOwnerWrapper::Skip(n);
  }

  IOStatus PositionedRead(std::uint64_t offset, std::size_t n, const IOOptions& options,
                          Slice* result, char* scratch, IODebugContext* debug) override {
    *result = Slice(scratch, 0);
    if (cipher_ == nullptr) return IOStatus::OK();
    IOStatus status = FSSequentialFileOwnerWrapper::PositionedRead(offset + kHeaderBlockBytes, n,
                                                                   options, result, scratch, debug);
    return status.ok() ? Decrypt(*cipher_, offset, result, scratch) : status;
  }

  IOStatus InvalidateCache(std::size_t offset, std::size_t length) override {
    return FSSequentialFileOwnerWrapper::InvalidateCache(offset + kHeaderBlockBytes, length);
  }

 private:
  const Cipher cipher_;
  std::uint64_t offset_ = 0;
};

class RandomAccessFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  RandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, Cipher cipher)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), cipher_(std::move(cipher)) {}

  IOStatus Read(std::uint64_t offset, std::size_t n, const IOOptions& options, Slice* result,
                char* scratch, IODebugContext* debug) const override {
    *result = Slice(scratch, 0);
    if (cipher_ == nullptr) return IOStatus::OK();
    IOStatus status = FSRandomAccessFileOwnerWrapper::Read(offset + kHeaderBlockBytes, n, options,
                                                           result, scratch, debug);
    return status.ok() ? Decrypt(*cipher_, offset, result, scratch) : status;
  }

  // One by one, which decrypts; the wrapper's would not.
  // NOLINTBEGIN(bugprone-parent-virtual-call)
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, std::size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    return FSRandomAccessFile::MultiRead(requests, count, options, debug);
  }
  IOStatus ReadAsync(rocksdb::FSReadRequest& request, const IOOptions& options,
                     std::function<void(const rocksdb::FSReadRequest&, void*)> done, void* argument,
                     void** handle, rocksdb::IOHandleDeleter* deleter,
                     IODebugContext* debug) override {
    return FSRandomAccessFile::ReadAsync(request, options, done, argument, handle, deleter, debug);
  }
  // NOLINTEND(bugprone-parent-virtual-call)

  IOStatus Prefetch(std::uint64_t offset, std::size_t n, const IOOptions& options,
                    IODebugContext* debug) override {
    return FSRandomAccessFileOwnerWrapper::Prefetch(offset + kHeaderBlockBytes, n, options, debug);
  }
  IOStatus InvalidateCache(std::size_t offset, std::size_t length) override {
    return FSRandomAccessFileOwnerWrapper::InvalidateCache(offset + kHeaderBlockBytes, length);
  }

 private:
  const Cipher cipher_;
};

class WritableFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  // `file` is empty, at `path` of `base`, which outlives it.
  WritableFile(std::unique_ptr<rocksdb::FSWritableFile> file, rocksdb::FileSystem& base,
               std::string path, std::string header, Cipher cipher)
      : FSWritableFileOwnerWrapper(std::move(file)),
        base_(base),
        path_(std::move(path)),
        header_(std::move(header)),
        cipher_(std::move(cipher)) {}

  // The header comes with the first bytes: RocksDB does not expect that creating a file needs room.
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    if (cut_) return NeverTwice("writing behind a cut");
    IOStatus status = FindEnd(options, debug);
    if (status.ok() && end_ < kHeaderBlockBytes) {
      status = AppendRaw(Bytes(header_).substr(end_), options, debug);
    }
    for (Bytes rest = ToBytes(data); status.ok() && !rest.empty();) {
      const Bytes piece = rest.substr(0, kAppendBytes);
      rest.remove_prefix(piece.size());
      scratch_.resize(std::max(scratch_.size(), piece.size()));
      if (!cipher_->Apply(end_ - kHeaderBlockBytes, piece, scratch_.data())) return CipherFailed();
      status = AppendRaw({scratch_.data(), piece.size()}, options, debug);
    }
    return status;
  }
  // The checksum passed in is that of the plain bytes.
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*checksum*/,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }

  IOStatus PositionedAppend(const Slice& /*data*/, std::uint64_t /*offset*/,
                            const IOOptions& /*options*/, IODebugContext* /*debug*/) override {
    return NeverTwice("a positioned append");
  }
  IOStatus PositionedAppend(const Slice& /*data*/, std::uint64_t /*offset*/,
                            const IOOptions& /*options*/,
                            const rocksdb::DataVerificationInfo& /*checksum*/,
                            IODebugContext* /*debug*/) override {
    return NeverTwice("a positioned append");
  }

  // RocksDB truncates a file before it closes it: nothing may follow.
  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    cut_ = size + kHeaderBlockBytes < end_;
    return FSWritableFileOwnerWrapper::Truncate(size + kHeaderBlockBytes, options, debug);
  }
  std::uint64_t GetFileSize(const IOOptions& options, IODebugContext* debug) override {
    return WithoutHeader(FSWritableFileOwnerWrapper::GetFileSize(options, debug));
  }
  IOStatus InvalidateCache(std::size_t offset, std::size_t length) override {
    return FSWritableFileOwnerWrapper::InvalidateCache(offset + kHeaderBlockBytes, length);
  }
  IOStatus RangeSync(std::uint64_t offset, std::uint64_t bytes, const IOOptions& options,
                     IODebugContext* debug) override {
    return FSWritableFileOwnerWrapper::RangeSync(offset + kHeaderBlockBytes, bytes, options, debug);
  }
  void PrepareWrite(std::size_t offset, std::size_t length, const IOOptions& options,
                    IODebugContext* debug) override {
    FSWritableFileOwnerWrapper::PrepareWrite(offset + kHeaderBlockBytes, length, options, debug);
  }
  IOStatus Allocate(std::uint64_t offset, std::uint64_t length, const IOOptions& options,
                    IODebugContext* debug) override {
    // The header is written with the first bytes, and needs room as they do.
    const std::uint64_t begin = offset == 0 ? 0 : offset + kHeaderBlockBytes;
    const std::uint64_t end = offset + kHeaderBlockBytes + length;
    return FSWritableFileOwnerWrapper::Allocate(begin, end - begin, options, debug);
  }

 private:
  IOStatus AppendRaw(Bytes bytes, const IOOptions& options, IODebugContext* debug) {
    IOStatus status =
        FSWritableFileOwnerWrapper::Append(Slice(bytes.data(), bytes.size()), options, debug);
    end_ += bytes.size();
    end_known_ = status.ok();
    return status;
  }

  // A full disk takes a part of an append, and RocksDB goes on after that part.
  IOStatus FindEnd(const IOOptions& options, IODebugContext* debug) {
    if (end_known_) return IOStatus::OK();
    IOStatus status = base_.GetFileSize(path_, options, &end_, debug);
    end_known_ = status.ok();
    return status;
  }

  rocksdb::FileSystem& base_;
  const std::string path_;
  const std::string header_;
  const Cipher cipher_;
  std::uint64_t end_ = 0;  // Of the file, header included.
  bool end_known_ = true;
  bool cut_ = false;
  std::string scratch_;
};

class EncryptedFiles final : public rocksdb::FileSystemWrapper {
 public:
  EncryptedFiles(const std::shared_ptr<rocksdb::FileSystem>& base,
                 std::shared_ptr<const DatabaseKey> key)
      : FileSystemWrapper(base), key_(std::move(key)) {}

  const char* Name() const override { return "MayflyEncryptedFiles"; }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                             IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    IOStatus status = FileSystemWrapper::NewSequentialFile(path, options, &file, debug);
    if (status.ok() && !IsPlainFile(path)) {
      Slice header;
      std::string scratch(kHeaderBlockBytes, '\0');
      status = file->Read(scratch.size(), options.io_options, &header, scratch.data(), debug);
      Cipher cipher;
      if (status.ok()) status = OpenHeader(*key_, ToBytes(header), path, cipher);
      file = std::make_unique<SequentialFile>(std::move(file), std::move(cipher));
    }
    if (status.ok()) *result = std::move(file);
    return status;
  }

  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                               IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    IOStatus status = FileSystemWrapper::NewRandomAccessFile(path, options, &file, debug);
    if (status.ok() && !IsPlainFile(path)) {
      Slice header;
      std::string scratch(kHeaderBlockBytes, '\0');
      status = file->Read(0, scratch.size(), options.io_options, &header, scratch.data(), debug);
      Cipher cipher;
      if (status.ok()) status = OpenHeader(*key_, ToBytes(header), path, cipher);
      file = std::make_unique<RandomAccessFile>(std::move(file), std::move(cipher));
    }
    if (status.ok()) *result = std::move(file);
    return status;
  }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, &file, debug);
    if (status.ok() && !IsPlainFile(path)) {
      const auto header = crypto::NewFileHeader(*key_, kPurpose);
      if (!header) return FromStatus(header.error(), path);
      auto cipher = CounterCipher::Make(header->key);
      if (!cipher) return FromStatus(cipher.error(), path);
      file = std::make_unique<WritableFile>(std::move(file), *target(), path,
                                            crypto::HeaderBlock(*header), *std::move(cipher));
    }
    if (status.ok()) *result = std::move(file);
    return status;
  }

  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& /*options*/,
                              std::unique_ptr<rocksdb::FSWritableFile>* /*result*/,
                              IODebugContext* /*debug*/) override {
    return NeverTwice("opening " + path + " to go on writing");
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string& /*old_path*/,
                             const FileOptions& /*options*/,
                             std::unique_ptr<rocksdb::FSWritableFile>* /*result*/,
                             IODebugContext* /*debug*/) override {
    return NeverTwice("writing " + path + " over an old file");
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& /*options*/,
                           std::unique_ptr<rocksdb::FSRandomRWFile>* /*result*/,
                           IODebugContext* /*debug*/) override {
    return NeverTwice("opening " + path + " to write anywhere");
  }
  IOStatus NewMemoryMappedFileBuffer(
      const std::string& path,
      std::unique_ptr<rocksdb::MemoryMappedFileBuffer>* /*result*/) override {
    return NeverTwice("mapping " + path);
  }

  IOStatus GetFileSize(const std::string& path, const IOOptions& options, std::uint64_t* bytes,
                       IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::GetFileSize(path, options, bytes, debug);
    if (status.ok() && !IsPlainFile(path)) *bytes = WithoutHeader(*bytes);
    return status;
  }

  IOStatus GetChildrenFileAttributes(const std::string& directory, const IOOptions& options,
                                     std::vector<rocksdb::FileAttributes>* result,
                                     IODebugContext* debug) override {
    IOStatus status =
        FileSystemWrapper::GetChildrenFileAttributes(directory, options, result, debug);
    if (!status.ok()) return status;
    for (rocksdb::FileAttributes& file : *result) {
      if (!IsPlainFile(file.name)) file.size_bytes = WithoutHeader(file.size_bytes);
    }
    return status;
  }

 private:
  const std::shared_ptr<const DatabaseKey> key_;  // Shared with the engine, which seals backups.
};

}  // namespace

bool IsPlainFile(const std::string& path) {
  const Bytes name = Bytes(path).substr(path.rfind('/') + 1);
  return name.starts_with(kFormatFileName) || name == kReserveFileName;
}

std::unique_ptr<rocksdb::Env> NewEncryptedFiles(rocksdb::Env& base,
                                                std::shared_ptr<const DatabaseKey> key) {
  return rocksdb::NewCompositeEnv(
      std::make_shared<EncryptedFiles>(base.GetFileSystem(), std::move(key)));
}

}  // namespace mayfly::engine
