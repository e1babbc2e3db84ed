#include "crypto/file_header.h"

#include <openssl/crypto.h>

namespace mayfly::crypto {
namespace {

constexpr Bytes kMagic = "mayflye1";
constexpr std::size_t kNonceBytes = 32;
constexpr std::size_t kCheckBytes = 24;
static_assert(kMagic.size() + kNonceBytes + kCheckBytes == kFileHeaderBytes);

std::string CheckPurpose(Bytes purpose) { return std::string(purpose) + " check"; }

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
  if (header.size() == kFileHeaderBytes && header.starts_with(kMagic)) {
    const Bytes nonce = header.substr(kMagic.size(), kNonceBytes);
    MAYFLY_TRY(const Secret check, key.Derive(CheckPurpose(purpose), nonce));
    if (CRYPTO_memcmp(check.data(), header.data() + kMagic.size() + kNonceBytes, kCheckBytes) == 0)
      return key.Derive(purpose, nonce);
  }
  return Status::Corruption("the file is damaged, or not encrypted with the key of this database");
}

}  // namespace mayfly::crypto
