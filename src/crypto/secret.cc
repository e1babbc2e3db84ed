#include "crypto/secret.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <cstring>
#include <utility>

namespace mayfly::crypto {
namespace {

Status FillRandom(void* out, std::size_t size) {
  if (RAND_bytes(static_cast<unsigned char*>(out), static_cast<int>(size)) == 1) return {};
  return Status::IoError("the system gives no random numbers for keys");
}

}  // namespace

Secret::Secret(std::size_t size) : bytes_(std::make_unique<char[]>(size)), size_(size) {}

Secret::Secret(Bytes bytes) : Secret(bytes.size()) {
  if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
}

Secret::Secret(Secret&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    Clear();
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void Secret::Clear() {
  if (bytes_ != nullptr) OPENSSL_cleanse(bytes_.get(), size_);
  bytes_.reset();
  size_ = 0;
}

Result<Secret> RandomSecret(std::size_t size) {
  Secret secret(size);
  MAYFLY_RETURN_IF_ERROR(FillRandom(secret.data(), size));
  return secret;
}

Result<std::string> RandomBytes(std::size_t size) {
  std::string bytes(size, '\0');
  MAYFLY_RETURN_IF_ERROR(FillRandom(bytes.data(), size));
  return bytes;
}

}  // namespace mayfly::crypto
