#include "crypto/database_key.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <charconv>
#include <optional>

#include "base/checksum.h"
#include "base/text.h"

namespace mayfly::crypto {
namespace {

constexpr Bytes kFirstLine = "mayfly key 1\n";
constexpr Bytes kAnyFirstLine = "mayfly key ";
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kTextBytesMax = 1024;

// The cost of scrypt: 32 MiB, three times. About 0.2 s, as OWASP recommends for passwords.
struct Cost {
  std::uint64_t n = 32768;
  std::uint64_t r = 8;
  std::uint64_t p = 3;
};

// Bounds on the cost that a key file may ask for, in memory and time.
constexpr std::uint64_t kScryptBytesMax = std::uint64_t{1} << 30;
constexpr std::uint64_t kScryptRoundsMax = 64;

bool IsSane(const Cost& cost) {
  return cost.n > 1 && (cost.n & (cost.n - 1)) == 0 && cost.r > 0 && cost.r <= kScryptRoundsMax &&
         cost.p > 0 && cost.p <= kScryptRoundsMax && cost.n <= kScryptBytesMax / 128 / cost.r;
}

Result<Secret> Stretch(Bytes password, Bytes salt, const Cost& cost) {
  Secret key(kKeyBytes);
  if (EVP_PBE_scrypt(password.data(), password.size(),
                     reinterpret_cast<const unsigned char*>(salt.data()), salt.size(), cost.n,
                     cost.r, cost.p, 2 * kScryptBytesMax, key.data(), key.size()) == 1) {
    return key;
  }
  ERR_clear_error();
  return Status::IoError("cannot stretch the password; is there enough memory?");
}

Status CheckPassword(Bytes password) {
  if (password.empty()) return Status::Invalid("the password is empty; give one");
  if (password.size() <= kPasswordBytesMax) return {};
  return Status::Invalid(
      fmt::format("the password has {} bytes, more than {}", password.size(), kPasswordBytesMax));
}

std::optional<std::string> FromHexOf(Bytes digits, std::size_t bytes) {
  return digits.size() == 2 * bytes ? FromHex(digits) : std::nullopt;
}

std::string CheckLine(Bytes lines) { return fmt::format("check {:016x}\n", Hash64(lines)); }

// Consumes "word rest\n" and returns the rest.
std::optional<Bytes> EatLine(Bytes& text, Bytes word) {
  const auto end = text.find('\n');
  if (end == Bytes::npos || !text.starts_with(word)) return std::nullopt;
  const Bytes rest = text.substr(word.size(), end - word.size());
  text.remove_prefix(end + 1);
  return rest;
}

bool ParseCost(Bytes text, Cost& cost) {
  for (std::uint64_t* const number : {&cost.n, &cost.r, &cost.p}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return text.empty() && IsSane(cost);
}

struct KeyText {
  Cost cost;
  std::string salt;
  std::string nonce;
  std::string sealed;
  Bytes vouched;  // Lines 1 to 3.
};

// The lines above the check line; empty when the check does not match.
Bytes CheckedLines(Bytes text) {
  if (text.size() < 2 || text.size() > kTextBytesMax || text.back() != '\n') return {};
  const auto last_line = text.rfind('\n', text.size() - 2);
  if (last_line == Bytes::npos) return {};
  const Bytes lines = text.substr(0, last_line + 1);
  return text.substr(last_line + 1) == CheckLine(lines) ? lines : Bytes();
}

bool Parse(Bytes lines, KeyText& parsed) {
  if (!lines.starts_with(kFirstLine)) return false;
  Bytes rest = lines.substr(kFirstLine.size());
  const auto cost = EatLine(rest, "kdf scrypt ");
  const auto salt = EatLine(rest, "salt ");
  parsed.vouched = lines.substr(0, lines.size() - rest.size());
  const auto nonce = EatLine(rest, "nonce ");
  const auto key = EatLine(rest, "key ");
  if (!cost || !salt || !nonce || !key || !rest.empty()) return false;
  const auto salt_bytes = FromHexOf(*salt, kSaltBytes);
  const auto nonce_bytes = FromHexOf(*nonce, kGcmNonceBytes);
  const auto key_bytes = FromHexOf(*key, kKeyBytes + kTagBytes);
  if (!ParseCost(*cost, parsed.cost) || !salt_bytes || !nonce_bytes || !key_bytes) return false;
  parsed.salt = *salt_bytes;
  parsed.nonce = *nonce_bytes;
  parsed.sealed = *key_bytes;
  return true;
}

}  // namespace

Result<std::shared_ptr<const DatabaseKey>> DatabaseKey::Make(Bytes password) {
  MAYFLY_TRY(Secret key, RandomSecret(kKeyBytes));
  return SealedBy(password, std::move(key));
}

Result<std::shared_ptr<const DatabaseKey>> DatabaseKey::WithPassword(Bytes password) const {
  return SealedBy(password, Secret(key_.view()));
}

Result<std::shared_ptr<const DatabaseKey>> DatabaseKey::SealedBy(Bytes password, Secret key) {
  MAYFLY_RETURN_IF_ERROR(CheckPassword(password));
  const Cost cost;
  MAYFLY_TRY(const std::string salt, RandomBytes(kSaltBytes));
  MAYFLY_TRY(const std::string nonce, RandomBytes(kGcmNonceBytes));
  MAYFLY_TRY(const Secret stretched, Stretch(password, salt, cost));
  std::string text = fmt::format("{}kdf scrypt {} {} {}\nsalt {}\n", kFirstLine, cost.n, cost.r,
                                 cost.p, ToHex(salt));
  std::string sealed(kKeyBytes + kTagBytes, '\0');
  MAYFLY_RETURN_IF_ERROR(Seal(stretched, nonce, text, key.view(), sealed.data()));
  text += fmt::format("nonce {}\nkey {}\n", ToHex(nonce), ToHex(sealed));
  text += CheckLine(text);
  return std::shared_ptr<const DatabaseKey>(new DatabaseKey(std::move(key), std::move(text)));
}

Result<std::shared_ptr<const DatabaseKey>> DatabaseKey::Open(Bytes text, Bytes password) {
  const Bytes lines = CheckedLines(text);
  if (lines.starts_with(kAnyFirstLine) && !lines.starts_with(kFirstLine)) {
    return Status::Unsupported("its key is of a later format; use a newer mayfly");
  }
  KeyText parsed;
  if (!Parse(lines, parsed)) {
    return Status::Corruption("its key is damaged; without it nothing can be read, so restore it");
  }
  MAYFLY_RETURN_IF_ERROR(CheckPassword(password));
  MAYFLY_TRY(const Secret stretched, Stretch(password, parsed.salt, parsed.cost));
  Secret key(kKeyBytes);
  MAYFLY_TRY(const bool opened,
             Unseal(stretched, parsed.nonce, parsed.vouched, parsed.sealed, key.data()));
  if (!opened) return Status::WrongPassword("wrong password");
  return std::shared_ptr<const DatabaseKey>(new DatabaseKey(std::move(key), std::string(text)));
}

}  // namespace mayfly::crypto
