// cipher.h - AES-256, in the two modes there is a use for.
//   counter mode  files that are read anywhere and written at their end. It hides and does not
//                 protect against change: checksums inside the files find damage, not forgers.
//   GCM           whatever is written and read as a whole: it also tells when a bit was changed.
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

// Writes plain.size() + kTagBytes bytes to `out`. `nonce` has kGcmNonceBytes; `associated` is not
// in the output and must be the same when it is opened.
Status Seal(const Secret& key, Bytes nonce, Bytes associated, Bytes plain, void* out);

// Writes sealed.size() - kTagBytes bytes to `out`. False when the key is another or something was
// changed; `out` holds nothing of use then.
Result<bool> Unseal(const Secret& key, Bytes nonce, Bytes associated, Bytes sealed, void* out);

struct FreeCipherContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipherContext>;

// AES-256 in counter mode for one file.
class CounterCipher {
 public:
  static Result<std::unique_ptr<CounterCipher>> Make(const Secret& key);

  // Encrypts, or decrypts, bytes that lie at `offset` of the file. `in` and `out` may be the same.
  // False when OpenSSL refused. Safe to call from any thread.
  bool Apply(std::uint64_t offset, Bytes in, char* out) const;

 private:
  CounterCipher() = default;
  CipherContext Take() const;

  CipherContext original_;  // Has the key. The others are copies, which spares its schedule.
  mutable std::mutex mutex_;
  mutable std::vector<CipherContext> idle_;  // Guarded by mutex_; as many as threads at once.
};

}  // namespace mayfly::crypto
