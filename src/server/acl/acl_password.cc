#include "server/acl/acl_password.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "base/text.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kHashDigits = 64;

}  // namespace

std::string PasswordHash(Bytes password) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  const int made =
      EVP_Digest(password.data(), password.size(), digest.data(), &size, EVP_sha256(), nullptr);
  MAYFLY_CHECK(made == 1, "OpenSSL has no SHA256");
  return ToHex(digest.data(), size);
}

bool IsPasswordHash(Bytes text) {
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), IsLowerHexDigit);
}

bool SameHash(Bytes a, Bytes b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string NewPassword(int bits) {
  const auto digits = static_cast<std::size_t>((bits + 3) / 4);
  std::vector<unsigned char> secret((digits + 1) / 2);
  const int drawn = RAND_bytes(secret.data(), static_cast<int>(secret.size()));
  MAYFLY_CHECK(drawn == 1, "OpenSSL has no random numbers");
  return ToHex(secret.data(), secret.size()).substr(0, digits);
}

}  // namespace mayfly::server
