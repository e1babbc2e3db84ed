// cipher.h - AES-256 in two modes.
//   counter mode  files that are read anywhere and written at their end. It encrypts without
//                 authentication: checksums inside the files find damage, not forgery.
//   GCM           whatever is written and read as a whole: it also detects any changed bit.
// Invariant: no key sees one counter or nonce twice. Files have keys of their own (file_header.h),
// so their counters begin at zero.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "crypto/secret.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::crypto {

inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kGcmNonceBytes = 12;

// A key for one purpose and one nonce: HMAC-SHA256 of both.
Result<Secret> DeriveKey(const Secret& key, Bytes purpose, Bytes nonce);

// Encrypts: writes plain.size() + kTagBytes bytes to `out`. `nonce` has kGcmNonceBytes;
// `associated` is not in the output and must be the same in Unseal().
Status Seal(const Secret& key, Bytes nonce, Bytes associated, Bytes plain, void* out);

// Decrypts: writes sealed.size() - kTagBytes bytes to `out`. False when the key is wrong or a byte
// was changed; the bytes in `out` are meaningless then.
Result<bool> Unseal(const Secret& key, Bytes nonce, Bytes associated, Bytes sealed, void* out);

struct FreeCipherContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipherContext>;

// AES-256 in counter mode for one file.
class CounterCipher {
 public:
  static Result<std::unique_ptr<CounterCipher>> Make(const Secret& key);

  // Encrypts, or decrypts, the bytes at `offset` of the file. `in` and `out` may be the same.
  // False when OpenSSL refused. Safe to call from any thread.
  bool Apply(std::uint64_t offset, Bytes in, char* out) const;

 private:
  CounterCipher() = default;
  CipherContext Take() const;

  CipherContext original_;  // Has the key. Others are copied from it, with its key schedule.
  mutable std::mutex mutex_;
  mutable std::vector<CipherContext> idle_;  // Guarded by mutex_; as many as threads at once.
};

}  // namespace mayfly::crypto
