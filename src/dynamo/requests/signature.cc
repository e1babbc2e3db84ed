#include "dynamo/requests/signature.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "dynamo/json/amz_date.h"
#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kTerminator = "aws4_request";
constexpr std::string_view kService = "dynamodb";
constexpr std::size_t kDayDigits = 8;

const unsigned char* Unsigned(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string Sha256(std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(Unsigned(text), text.size(), reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string Hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), Unsigned(text), text.size(),
       digest.data(), &size);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

std::vector<std::string> Split(std::string_view text, char by) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(by);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// Runs of spaces count as one.
std::string CanonicalValue(std::string_view value) {
  std::string out;
  for (const char c : Trimmed(value)) {
    if (c == ' ' && out.ends_with(' ')) continue;
    out += c;
  }
  return out;
}

std::string CanonicalQuery(const std::string& query) {
  if (query.empty()) return "";
  std::vector<std::string> parts = Split(query, '&');
  for (std::string& part : parts) {
    if (part.find('=') == std::string::npos) part += '=';
  }
  std::sort(parts.begin(), parts.end());
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : "&") + part;
  return joined;
}

struct Authorization {
  std::string algorithm;
  std::string credential;
  std::string signed_headers;
  std::string signature;
};

Refusal Incomplete(std::string message) {
  return {ErrorKind::kIncompleteSignature, std::move(message)};
}
Refusal Wrong(std::string message) { return {ErrorKind::kInvalidSignature, std::move(message)}; }

Outcome<Authorization> ReadAuthorization(std::string_view header, bool has_date) {
  if (!header.starts_with("AWS4-")) {
    return Refusal(ErrorKind::kMissingAuthenticationToken,
                   "Request is missing Authentication Token");
  }
  Authorization read;
  const std::size_t space = header.find(' ');
  read.algorithm = std::string(header.substr(0, space));
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view() : header.substr(space + 1);
  for (const std::string& part : Split(rest, ',')) {
    const std::string_view pair = Trimmed(part);
    const std::size_t equals = pair.find('=');
    if (pair.empty()) continue;
    if (equals == std::string_view::npos) {
      return Incomplete(
          fmt::format("'{}' not a valid key=value pair (missing equal-sign) in Authorization "
                      "header: '{}'.",
                      pair, header));
    }
    const std::string_view name = pair.substr(0, equals);
    const std::string value(pair.substr(equals + 1));
    if (name == "Credential") read.credential = value;
    if (name == "SignedHeaders") read.signed_headers = value;
    if (name == "Signature") read.signature = value;
  }
  std::string missing;
  const auto require = [&](const std::string& value, std::string_view name) {
    if (value.empty())
      missing += fmt::format("Authorization header requires '{}' parameter. ", name);
  };
  require(read.credential, "Credential");
  require(read.signature, "Signature");
  require(read.signed_headers, "SignedHeaders");
  if (!has_date) {
    missing +=
        "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (!missing.empty()) return Incomplete(fmt::format("{}Authorization={}", missing, header));
  return read;
}

Outcome<void> CheckDate(std::string_view date, WallTime now) {
  const auto at = ReadAmzDate(date);
  if (!at) {
    return Incomplete(fmt::format(
        "Date must be in ISO-8601 'basic format'. Got '{}'. See http://en.wikipedia.org/wiki/"
        "ISO_8601",
        date));
  }
  if (*at < now - kClockSkewMax) {
    return Wrong(fmt::format("Signature expired: {} is now earlier than {} ({} - 15 min.)", date,
                             WriteAmzDate(now - kClockSkewMax), WriteAmzDate(now)));
  }
  if (*at > now + kClockSkewMax) {
    return Wrong(fmt::format("Signature not yet current: {} is still later than {} ({} + 15 min.)",
                             date, WriteAmzDate(now + kClockSkewMax), WriteAmzDate(now)));
  }
  return {};
}

Outcome<void> CheckScope(const std::vector<std::string>& scope, std::string_view region,
                         std::string_view date) {
  std::string wrong;
  if (scope[2].empty() || (!region.empty() && scope[2] != region)) {
    wrong += fmt::format("Credential should be scoped to a valid region, not '{}'. ", scope[2]);
  }
  if (scope[3] != kService) {
    wrong += "Credential should be scoped to correct service: 'dynamodb'. ";
  }
  if (scope[4] != kTerminator) {
    wrong += fmt::format(
        "Credential should be scoped with a valid terminator: 'aws4_request', not '{}'. ",
        scope[4]);
  }
  if (scope[1] != date.substr(0, kDayDigits)) {
    wrong += fmt::format(
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
        "HTTP: '{}' != '{}', from '{}'.",
        scope[1], date.substr(0, kDayDigits), date);
  }
  if (!wrong.empty()) return Wrong(wrong);
  return {};
}

}  // namespace

Result<Secrets> ReadSecrets(std::string_view text) {
  Secrets secrets;
  if (Trimmed(text).empty()) return secrets;
  std::size_t at = 0;
  for (const std::string& part : Split(text, ',')) {
    ++at;
    const std::string_view entry = Trimmed(part);
    const std::size_t colon = entry.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == entry.size()) {
      return Status::Invalid(fmt::format("http-keys: entry {} is not of the form ID:SECRET", at));
    }
    const std::string id(entry.substr(0, colon));
    if (id.find('/') != std::string::npos) {
      return Status::Invalid(fmt::format("http-keys: the id of entry {} has a '/'", at));
    }
    if (!secrets.emplace(id, entry.substr(colon + 1)).second) {
      return Status::Invalid(fmt::format("http-keys: the id of entry {} is there twice", at));
    }
  }
  return secrets;
}

std::string CanonicalRequest(const http::Request& request, const std::string& signed_headers) {
  std::string headers;
  for (const std::string& name : Split(signed_headers, ';')) {
    headers += fmt::format("{}:{}\n", name, CanonicalValue(request.Header(name)));
  }
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, request.path,
                     CanonicalQuery(request.query), headers, signed_headers,
                     ToHex(Sha256(request.body)));
}

std::string Sign(const http::Request& request, const SignedParts& parts, std::string_view secret) {
  const std::string scope =
      fmt::format("{}/{}/{}/{}", parts.day, parts.region, parts.service, kTerminator);
  const std::string text = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, parts.date, scope,
                                       ToHex(Sha256(CanonicalRequest(request, parts.headers))));
  std::string key = Hmac("AWS4" + std::string(secret), parts.day);
  for (const std::string_view step :
       {std::string_view(parts.region), std::string_view(parts.service), kTerminator}) {
    key = Hmac(key, step);
  }
  return ToHex(Hmac(key, text));
}

Outcome<void> CheckSignature(const http::Request& request, const Secrets& secrets,
                             std::string_view region, WallTime now) {
  const std::string_view own_date = request.Header("x-amz-date");
  const std::string_view date = own_date.empty() ? request.Header("date") : own_date;
  MAYFLY_TRY(const Authorization authorization,
             ReadAuthorization(Trimmed(request.Header("authorization")), !date.empty()));
  MAYFLY_REQUIRE(CheckDate(date, now));
  const std::vector<std::string> names = Split(authorization.signed_headers, ';');
  if (std::find(names.begin(), names.end(), "host") == names.end()) {
    return Wrong("'Host' must be a 'SignedHeader' in the AWS Authorization.");
  }
  if (authorization.algorithm != kAlgorithm) {
    return Incomplete(
        fmt::format("Unsupported AWS 'algorithm': '{}' (only AWS4-HMAC-SHA256 for now). ",
                    authorization.algorithm));
  }
  const std::vector<std::string> scope = Split(authorization.credential, '/');
  if (scope.size() != 5) {
    return Incomplete(
        fmt::format("Credential must have exactly 5 slash-delimited elements, e.g. "
                    "keyid/date/region/service/term, got '{}'",
                    authorization.credential));
  }
  MAYFLY_REQUIRE(CheckScope(scope, region, date));
  const auto secret = secrets.find(scope[0]);
  if (secret == secrets.end()) {
    return Refusal(ErrorKind::kUnrecognizedClient,
                   "The security token included in the request is invalid.");
  }
  const SignedParts parts = {.date = std::string(date),
                             .day = scope[1],
                             .region = scope[2],
                             .service = scope[3],
                             .headers = authorization.signed_headers};
  const std::string expected = Sign(request, parts, secret->second);
  const std::string& given = authorization.signature;
  if (given.size() == expected.size() &&
      CRYPTO_memcmp(given.data(), expected.data(), expected.size()) == 0) {
    return {};
  }
  return Wrong(fmt::format(
      "The request signature we calculated does not match the signature you provided. Check your "
      "AWS Secret Access Key and signing method. Consult the service documentation for details.\n\n"
      "The Canonical String for this request should have been\n'{}'\n",
      CanonicalRequest(request, authorization.signed_headers)));
}

}  // namespace mayfly::dynamo
