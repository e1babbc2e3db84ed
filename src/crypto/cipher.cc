#include "crypto/cipher.h"

#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/check.h"

namespace mayfly::crypto {
namespace {

constexpr std::size_t kBlockBytes = 16;
constexpr std::size_t kStepBytesMax = std::size_t{1} << 30;  // OpenSSL counts in int.

const unsigned char* Data(Bytes bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Status Refused(const char* what) {
  return Status::Internal(std::string("OpenSSL refused to ") + what);
}

// Runs all of `in` through the context.
bool Update(EVP_CIPHER_CTX* context, Bytes in, unsigned char* out) {
  while (!in.empty()) {
    const std::size_t step = std::min(in.size(), kStepBytesMax);
    int written = 0;
    if (EVP_CipherUpdate(context, out, &written, Data(in), static_cast<int>(step)) != 1) {
      return false;
    }
    if (out != nullptr) out += written;
    in.remove_prefix(step);
  }
  return true;
}

CipherContext NewGcm(const Secret& key, Bytes nonce, Bytes associated, bool seal) {
  MAYFLY_CHECK(key.size() == kKeyBytes && nonce.size() == kGcmNonceBytes, "sizes of GCM");
  CipherContext context(EVP_CIPHER_CTX_new());
  if (context == nullptr ||
      EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(), Data(nonce),
                        seal ? 1 : 0) != 1 ||
      !Update(context.get(), associated, nullptr)) {
    return nullptr;
  }
  return context;
}

}  // namespace

Result<Secret> DeriveKey(const Secret& key, Bytes purpose, Bytes nonce) {
  // The purpose ends with a byte that no purpose contains, so that different pairs give different
  // texts.
  std::string text(purpose);
  text.push_back('\0');
  text.append(nonce);
  Secret derived(kKeyBytes);
  unsigned size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Data(text), text.size(),
           derived.data(), &size) == nullptr ||
      size != kKeyBytes) {
    return Refused("derive a key");
  }
  return derived;
}

Status Seal(const Secret& key, Bytes nonce, Bytes associated, Bytes plain, void* out) {
  const CipherContext context = NewGcm(key, nonce, associated, true);
  auto* const sealed = static_cast<unsigned char*>(out);
  unsigned char* const tag = sealed + plain.size();
  int more = 0;
  if (context == nullptr || !Update(context.get(), plain, sealed) ||
      EVP_CipherFinal_ex(context.get(), tag, &more) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag) != 1) {
    return Refused("encrypt");
  }
  return {};
}

Result<bool> Unseal(const Secret& key, Bytes nonce, Bytes associated, Bytes sealed, void* out) {
  if (sealed.size() < kTagBytes) return false;
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  sealed.remove_suffix(kTagBytes);
  const CipherContext context = NewGcm(key, nonce, associated, false);
  if (context == nullptr || !Update(context.get(), sealed, static_cast<unsigned char*>(out)) ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) != 1) {
    return Refused("decrypt");
  }
  std::array<unsigned char, kBlockBytes> rest{};
  int more = 0;
  return EVP_CipherFinal_ex(context.get(), rest.data(), &more) == 1;
}

Result<std::unique_ptr<CounterCipher>> CounterCipher::Make(const Secret& key) {
  MAYFLY_CHECK(key.size() == kKeyBytes, "size of a key");
  std::unique_ptr<CounterCipher> cipher(new CounterCipher);
  cipher->original_.reset(EVP_CIPHER_CTX_new());
  const std::array<unsigned char, kBlockBytes> zero{};
  if (cipher->original_ == nullptr || EVP_EncryptInit_ex(cipher->original_.get(), EVP_aes_256_ctr(),
                                                         nullptr, key.data(), zero.data()) != 1) {
    return Refused("take a key");
  }
  return cipher;
}

CipherContext CounterCipher::Take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      CipherContext context = std::move(idle_.back());
      idle_.pop_back();
      return context;
    }
  }
  CipherContext context(EVP_CIPHER_CTX_new());
  if (context != nullptr && EVP_CIPHER_CTX_copy(context.get(), original_.get()) != 1) {
    context.reset();
  }
  return context;
}

bool CounterCipher::Apply(std::uint64_t offset, Bytes in, char* out) const {
  CipherContext context = Take();
  if (context == nullptr) return false;
  std::array<unsigned char, kBlockBytes> counter{};
  std::uint64_t block = offset / kBlockBytes;
  for (std::size_t i = kBlockBytes; block != 0; block >>= 8) {
    counter[--i] = static_cast<unsigned char>(block);
  }
  std::array<unsigned char, kBlockBytes> skipped{};
  const Bytes skip(reinterpret_cast<const char*>(skipped.data()), offset % kBlockBytes);
  // A null key keeps the one the context has.
  const bool done =
      EVP_EncryptInit_ex(context.get(), nullptr, nullptr, nullptr, counter.data()) == 1 &&
      Update(context.get(), skip, skipped.data()) &&
      Update(context.get(), in, reinterpret_cast<unsigned char*>(out));
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(context));
  return done;
}

}  // namespace mayfly::crypto
