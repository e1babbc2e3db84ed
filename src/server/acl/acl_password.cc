#include "server/acl/acl_password.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kHashDigits = 64;

std::string Hex(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

}  // namespace

std::string PasswordHash(Bytes password) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  const int made =
      EVP_Digest(password.data(), password.size(), digest.data(), &size, EVP_sha256(), nullptr);
  MAYFLY_CHECK(made == 1, "OpenSSL has no SHA256");
  return Hex(digest.data(), size);
}

bool IsPasswordHash(Bytes text) {
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool SameHash(Bytes a, Bytes b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string NewPassword(int bits) {
  const auto digits = static_cast<std::size_t>((bits + 3) / 4);
  std::vector<unsigned char> secret((digits + 1) / 2);
  const int drawn = RAND_bytes(secret.data(), static_cast<int>(secret.size()));
  MAYFLY_CHECK(drawn == 1, "OpenSSL has no random numbers");
  return Hex(secret.data(), secret.size()).substr(0, digits);
}

}  // namespace mayfly::server
