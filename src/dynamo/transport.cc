#include "dynamo/transport.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"
#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

constexpr std::string_view kAmzJson = "application/x-amz-json-1.0";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kPreflightSeconds = "172800";  // As AWS says.
constexpr int kGzipWindow = 15 + 16;  // zlib's words for gzip, and no other form.

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> Split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(by);
    parts.push_back(Trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Bytef* Unsigned(const char* bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes));  // zlib reads only.
}

// Frees what zlib holds for a stream, however it is left.
class Inflation {
 public:
  Inflation() : ready_(inflateInit2(&stream_, kGzipWindow) == Z_OK) {}
  ~Inflation() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;

  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_ = {};
  const bool ready_;
};

Refusal NoGzip() { return Mistyped("The body is no gzip, as its Content-Encoding says"); }

Outcome<std::string> Inflated(std::string_view body) {
  Inflation inflation;
  if (!inflation.ready()) return Refusal(ErrorKind::kUnavailable, "no memory to inflate the body");
  z_stream& stream = inflation.stream();
  stream.next_in = Unsigned(body.data());
  stream.avail_in = static_cast<uInt>(body.size());
  std::string plain;
  std::array<char, std::size_t{64} * 1024> piece{};
  for (int state = Z_OK; state != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) return NoGzip();
    const std::size_t bytes = piece.size() - stream.avail_out;
    if (plain.size() + bytes > kRequestBytesMax) {
      return Refusal(ErrorKind::kRequestTooLarge, "Request size limit exceeded");
    }
    plain.append(piece.data(), bytes);
    if (state == Z_OK && bytes == 0 && stream.avail_in == 0) return NoGzip();
  }
  if (stream.avail_in > 0) return NoGzip();
  return plain;
}

// Empty when zlib has no memory.
std::string Deflated(const std::string& plain) {
  z_stream stream = {};
  constexpr int kMemoryLevel = 8;  // zlib's default.
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string packed(deflateBound(&stream, static_cast<uLong>(plain.size())), '\0');
  stream.next_in = Unsigned(plain.data());
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = Unsigned(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int state = deflate(&stream, Z_FINISH);
  packed.erase(std::min<std::size_t>(stream.total_out, packed.size()));
  deflateEnd(&stream);
  return state == Z_STREAM_END ? packed : std::string();
}

// "gzip", "gzip;q=0.5", "*": but not with a weight of 0.
bool TakesGzip(std::string_view accepted) {
  const auto parts = Split(accepted, ',');
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    const auto words = Split(part, ';');
    if (!EqualsIgnoringCase(words[0], "gzip") && words[0] != "*") return false;
    return words.size() < 2 || words[1].find_first_of("123456789") != std::string_view::npos;
  });
}

// An origin is a scheme, a host and a port.
bool IsOfThisMachine(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const std::string_view rest = origin.substr(scheme.size());
    for (const std::string_view host : {"localhost", "127.0.0.1", "[::1]"}) {
      if (rest == host) return true;
      if (rest.starts_with(host) && rest[host.size()] == ':') return true;
    }
  }
  return false;
}

void Permit(std::string_view origin, const Origins& origins, http::Response& response) {
  if (origins.any) {
    response.headers["Access-Control-Allow-Origin"] = "*";
    return;
  }
  response.headers["Access-Control-Allow-Origin"] = origin;
  response.headers["Vary"] = "Origin";
}

// "Tue, 14 Nov 2023 22:13:20 GMT".
std::string HttpDate(WallTime time) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_time<Millis> at(time.time_since_epoch());
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(at - day));
  return fmt::format(
      "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays.at(std::chrono::weekday(day).c_encoding()),
      static_cast<unsigned>(date.day()), kMonths.at(static_cast<unsigned>(date.month()) - 1),
      static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
      clock.seconds().count());
}

unsigned long Crc32(const std::string& body) {
  return crc32_z(0, Unsigned(body.data()), body.size());
}

}  // namespace

std::string_view ContentTypeFor(const http::Request& request) {
  const std::string_view given = request.Header("content-type");
  const std::string_view type = Trimmed(given.substr(0, given.find(';')));
  if (type.empty() || EqualsIgnoringCase(type, kAmzJson) || EqualsIgnoringCase(type, kForm)) {
    return kAmzJson;
  }
  return EqualsIgnoringCase(type, kJson) ? kJson : std::string_view("");
}

http::Response NotJson() { return {.status = 404, .body = "<UnknownOperationException/>\n"}; }

Outcome<std::string> InflatedBody(const http::Request& request) {
  const std::string_view encoding = Trimmed(request.Header("content-encoding"));
  if (EqualsIgnoringCase(encoding, "gzip")) return Inflated(request.body);
  return Mistyped(fmt::format("Content-Encoding {} is not supported: use gzip, or none", encoding));
}

Origins ReadOrigins(std::string_view text, bool requests_are_signed) {
  Origins origins;
  for (const std::string_view origin : Split(text, ',')) {
    if (!origin.empty()) origins.named.emplace_back(origin);
  }
  origins.any = requests_are_signed && origins.named.empty();
  return origins;
}

bool MayRead(const Origins& origins, std::string_view origin) {
  if (origins.any) return true;
  if (origins.named.empty()) return IsOfThisMachine(origin);
  return std::any_of(origins.named.begin(), origins.named.end(),
                     [&](const std::string& one) { return one == "*" || one == origin; });
}

http::Response Preflight(const http::Request& request, const Origins& origins) {
  http::Response response;
  const std::string_view origin = request.Header("origin");
  if (origin.empty() || !MayRead(origins, origin)) return response;
  Permit(origin, origins, response);
  const auto echo = [&](std::string_view asked, std::string_view allowed) {
    const std::string_view value = request.Header(asked);
    if (!value.empty()) response.headers[allowed] = value;
  };
  echo("access-control-request-headers", "Access-Control-Allow-Headers");
  echo("access-control-request-method", "Access-Control-Allow-Methods");
  response.headers["Access-Control-Max-Age"] = kPreflightSeconds;
  return response;
}

void Dress(const http::Request& request, const Origins& origins, WallTime now,
           http::Response& response) {
  if (response.body.size() >= kCompressedBytesMin && TakesGzip(request.Header("accept-encoding"))) {
    std::string packed = Deflated(response.body);
    if (!packed.empty() && packed.size() < response.body.size()) {
      response.body = std::move(packed);
      response.headers["Content-Encoding"] = "gzip";
    }
  }
  response.headers["x-amz-crc32"] = fmt::format("{}", Crc32(response.body));
  response.headers["Date"] = HttpDate(now);
  const std::string_view origin = request.Header("origin");
  if (origin.empty() || !MayRead(origins, origin)) return;
  Permit(origin, origins, response);
  response.headers["Access-Control-Expose-Headers"] = "x-amzn-RequestId, x-amz-crc32, Date";
}

}  // namespace mayfly::dynamo
