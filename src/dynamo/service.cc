#include "dynamo/service.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <exception>
#include <utility>

#include "base/checksum.h"
#include "base/log.h"
#include "base/random.h"
#include "dynamo/fields.h"
#include "dynamo/limits.h"
#include "dynamo/operations.h"
#include "dynamo/refusal.h"

namespace mayfly::dynamo {
namespace {

constexpr const char* kContentType = "application/x-amz-json-1.0";
constexpr std::size_t kRequestIdLength = 52;
constexpr std::size_t kNearBytes = 4096;

unsigned long Crc32(const std::string& body) {
  return crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
}

}  // namespace

Service::Service(Tables& tables, const Clock& clock, Logger& logger, ServiceOptions options)
    : tables_(tables),
      clock_(clock),
      logger_(logger),
      options_(std::move(options)),
      seed_(FreshSeed()) {}

void Service::Mount(http::Router& router) {
  router.Add("POST", "/", [this](const http::Request& request) { return Answer(request); },
             {.body_bytes_max = kRequestBytesMax, .refuse = [this](int status) {
                const ErrorKind kind =
                    status == 413 ? ErrorKind::kRequestTooLarge : ErrorKind::kSerialization;
                const Refusal refusal(
                    kind, status == 413 ? "Request size limit exceeded" : "the request is no HTTP");
                return Write(status, refusal.Body());
              }});
}

http::Response Service::Answer(const http::Request& request) {
  try {
    return Write(200, Run(request));
  } catch (const Refusal& refusal) {
    if (refusal.http_status() >= 500) {
      Log(logger_, LogLevel::kError, "{}: {}", request.Header("x-amz-target"), refusal.message());
    }
    return Write(refusal.http_status(), refusal.Body());
  } catch (const std::exception& error) {
    Log(logger_, LogLevel::kError, "{}: {}", request.Header("x-amz-target"), error.what());
    const Refusal refusal(ErrorKind::kInternal, "Internal server error");
    return Write(refusal.http_status(), refusal.Body());
  }
}

// The order is DynamoDB's: JSON, operation, signature, types, constraints.
Reply Service::Run(const http::Request& request) const {
  std::array<unsigned char, kNearBytes> near;  // Of what most requests need.
  json::monotonic_resource memory(near.data(), near.size());
  const Result<json::value> body = ParseJson(request.body, &memory);
  if (!body && !request.body.empty()) {
    throw Refusal(ErrorKind::kSerialization, std::string(body.error().message()));
  }
  const Operation* const operation = FindOperation(request.Header("x-amz-target"));
  if (operation == nullptr) throw Refusal(ErrorKind::kUnknownOperation, "");
  Authorize(request);
  if (!body || !body->is_object()) {
    throw Refusal(ErrorKind::kSerialization, "the body is no JSON object");
  }
  Validation validation;
  const Fields in(body->get_object(), validation);
  return operation->handler({tables_, clock_, std::string(request.Header("host"))}, in);
}

void Service::Authorize(const http::Request& request) const {
  if (!options_.secrets.empty()) {
    CheckSignature(request, options_.secrets, clock_.Now());
  } else if (options_.open_to_strangers) {
    throw Refusal(ErrorKind::kAccessDenied,
                  "http-bind is no loopback address and nobody has a key: set http-keys to "
                  "ID:SECRET and sign requests with it, or bind HTTP to 127.0.0.1");
  }
}

http::Response Service::Write(int status, const Reply& body) {
  http::Response response;
  response.status = status;
  response.content_type = kContentType;
  response.body = ToText(body);
  response.headers["x-amzn-RequestId"] = NewRequestId();
  response.headers["x-amz-crc32"] = fmt::format("{}", Crc32(response.body));
  return response;
}

// 52 capitals and digits, as clients log them. Unlike others, and no secret.
std::string Service::NewRequestId() {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  constexpr std::size_t kDigitsPerHash = 12;
  const std::uint64_t number = ++requests_;
  const Bytes bytes(reinterpret_cast<const char*>(&number), sizeof number);
  std::string id(kRequestIdLength, '0');
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i % kDigitsPerHash == 0) hash = Hash64(bytes, seed_ + i);
    id[i] = kDigits[hash % kDigits.size()];
    hash /= kDigits.size();
  }
  return id;
}

}  // namespace mayfly::dynamo
