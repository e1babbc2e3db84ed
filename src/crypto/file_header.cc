#include "crypto/file_header.h"

#include <openssl/crypto.h>

#include <span>

namespace mayfly::crypto {
namespace {

constexpr Bytes kMagic = "mayflye1";
constexpr std::size_t kNonceBytes = 32;
constexpr std::size_t kCheckBytes = 24;
static_assert(kMagic.size() + kNonceBytes + kCheckBytes == kFileHeaderBytes);

constexpr std::size_t kSecondCopyAt = 4096;  // The largest sector that disks have.
static_assert(2 * kSecondCopyAt == kHeaderBlockBytes);

std::string CheckPurpose(Bytes purpose) { return std::string(purpose) + " check"; }

Bytes NonceOf(Bytes header) { return header.substr(kMagic.size(), kNonceBytes); }
Bytes CheckOf(Bytes header) { return header.substr(kMagic.size() + kNonceBytes); }

Status NoHeader() {
  return Status::Corruption("the file is damaged, or not encrypted with the key of this database");
}

Result<Secret> OpenAny(const DatabaseKey& key, Bytes purpose, std::span<const Bytes> copies) {
  for (const Bytes copy : copies) {
    if (copy.size() != kFileHeaderBytes) return NoHeader();
  }
  for (const Bytes copy : copies) {
    MAYFLY_TRY(const Secret check, key.Derive(CheckPurpose(purpose), NonceOf(copy)));
    for (const Bytes other : copies) {
      if (CRYPTO_memcmp(check.data(), CheckOf(other).data(), kCheckBytes) == 0) {
        return key.Derive(purpose, NonceOf(copy));
      }
    }
  }
  return NoHeader();
}

}  // namespace

Result<FileHeader> NewFileHeader(const DatabaseKey& key, Bytes purpose) {
  MAYFLY_TRY(const std::string nonce, RandomBytes(kNonceBytes));
  FileHeader header;
  MAYFLY_TRY(header.key, key.Derive(purpose, nonce));
  MAYFLY_TRY(const Secret check, key.Derive(CheckPurpose(purpose), nonce));
  header.bytes.append(kMagic).append(nonce).append(check.view().substr(0, kCheckBytes));
  return header;
}

Result<Secret> OpenFileHeader(const DatabaseKey& key, Bytes purpose, Bytes header) {
  const Bytes copies[] = {header};
  return OpenAny(key, purpose, copies);
}

std::string HeaderBlock(const FileHeader& header) {
  std::string block = header.bytes;
  block.resize(kSecondCopyAt);
  block += header.bytes;
  block.resize(kHeaderBlockBytes);
  return block;
}

Result<Secret> OpenHeaderBlock(const DatabaseKey& key, Bytes purpose, Bytes block) {
  if (block.size() != kHeaderBlockBytes) return NoHeader();
  const Bytes copies[] = {block.substr(0, kFileHeaderBytes),
                          block.substr(kSecondCopyAt, kFileHeaderBytes)};
  return OpenAny(key, purpose, copies);
}

}  // namespace mayfly::crypto
