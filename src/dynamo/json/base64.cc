#include "dynamo/json/base64.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "base/text.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kGroupText = 4;
constexpr std::size_t kGroupBytes = 3;

bool IsBase64Digit(char c) { return IsLetterOrDigit(c) || c == '+' || c == '/'; }

unsigned DigitValue(char c) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return static_cast<unsigned>(kDigits.find(c));
}

// Of a text whose length is right: at least two digits are left.
std::string_view WithoutPadding(std::string_view text) {
  std::string_view digits = text;
  while (text.size() - digits.size() < 2 && digits.ends_with('=')) digits.remove_suffix(1);
  return digits;
}

unsigned char* Unsigned(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* Unsigned(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string ToBase64(std::string_view bytes) {
  std::string text((bytes.size() + kGroupBytes - 1) / kGroupBytes * kGroupText + 1, '\0');
  const int size = EVP_EncodeBlock(Unsigned(text), Unsigned(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

Status CheckBase64(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() % kGroupText != 0) {
    return Status::Invalid(fmt::format(
        "Base64 encoded length is expected a multiple of 4 bytes but found: {}", text.size()));
  }
  const std::string_view digits = WithoutPadding(text);
  const auto wrong = std::find_if_not(digits.begin(), digits.end(), IsBase64Digit);
  if (wrong != digits.end()) {
    return Status::Invalid(
        fmt::format("Invalid Base64 character: '{}'",
                    IsPrintable(*wrong) ? std::string(1, *wrong) : std::string("?")));
  }
  // Bits behind the last byte must be zero: two texts for the same bytes would be two keys.
  const std::size_t padding = text.size() - digits.size();
  const unsigned unused = padding == 0 ? 0 : padding == 1 ? 0b11 : 0b1111;
  if ((DigitValue(digits.back()) & unused) != 0) {
    return Status::Invalid("Invalid last non-pad Base64 character dectected");
  }
  return {};
}

Result<std::string> FromBase64(std::string_view text) {
  MAYFLY_RETURN_IF_ERROR(CheckBase64(text));
  if (text.empty()) return std::string();
  std::string bytes(text.size() / kGroupText * kGroupBytes, '\0');
  const int size = EVP_DecodeBlock(Unsigned(bytes), Unsigned(text), static_cast<int>(text.size()));
  if (size < 0) return Status::Invalid("Invalid Base64");
  bytes.resize(static_cast<std::size_t>(size) - (text.size() - WithoutPadding(text).size()));
  return bytes;
}

}  // namespace mayfly::dynamo
