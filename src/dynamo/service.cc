#include "dynamo/service.h"

#include <fmt/format.h>

#include <utility>

#include "base/checksum.h"
#include "base/log.h"
#include "base/random.h"
#include "dynamo/json/fields.h"
#include "dynamo/json/json_memory.h"
#include "dynamo/json/limits.h"
#include "dynamo/json/refusal.h"
#include "dynamo/operations/operations.h"
#include "dynamo/shapes/shape.h"
#include "dynamo/tables/arn.h"
#include "http/limits.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kRequestIdLength = 52;

Refusal UnknownOperation(std::string_view target) {
  return {ErrorKind::kUnknownOperation,
          target.empty() ? std::string("The header X-Amz-Target must name the operation, as in "
                                       "DynamoDB_20120810.GetItem")
                         : fmt::format("The operation {} is not offered", target)};
}

}  // namespace

Service::Service(tables::ProtocolTables& tables, const Clock& clock, Logger& logger,
                 ServiceOptions options)
    : tables_(tables),
      clock_(clock),
      logger_(logger),
      options_(std::move(options)),
      region_(options_.region.empty() ? std::string(kDefaultRegion) : options_.region),
      origins_(ReadOrigins(options_.origins, !options_.secrets.empty())),
      seed_(FreshSeed()) {}

void Service::Mount(http::Router& router) {
  const auto refuse = [this](int status) {
    if (status == 413) {
      return Write(
          nullptr, status,
          ToText(Refusal(ErrorKind::kRequestTooLarge, "Request size limit exceeded").Body()));
    }
    if (status == 503) {
      return Write(nullptr, status,
                   ToText(Refusal(ErrorKind::kUnavailable,
                                  "Too many large requests at once: try again in a moment")
                              .Body()));
    }
    return Write(nullptr, status, ToText(Mistyped("the request is no HTTP").Body()));
  };
  router.AddGroup("POST", "/",
                  [this](std::span<http::Exchange* const> exchanges) { Answer(exchanges); },
                  {.body_bytes_max = kRequestBytesMax, .refuse = refuse});
  router.Add("OPTIONS", "/",
             [this](const http::Request& request) { return Preflight(request, origins_); });
  router.Add("GET", "/", [this](const http::Request&) { return Healthy(); });
}

// What AWS' endpoints answer to a health check.
http::Response Service::Healthy() {
  return {.body = fmt::format("healthy: dynamodb.{}.amazonaws.com ", region_)};
}

void Service::Answer(std::span<http::Exchange* const> exchanges) {
  const SteadyTime begun = options_.on_answered ? options_.real_clock->Steady() : SteadyTime();
  Round round;
  for (http::Exchange* const exchange : exchanges) {
    if (round.bytes > http::kOutputBytesBeforeSend) break;
    Outcome<void> accepted = Run(*exchange, round);
    if (!accepted.has_value()) Respond(*exchange, round, std::move(accepted).error());
  }
  DoWrites(round);
  RunCalls(round);
  MakeDurable(round);
  if (options_.on_answered) Report(exchanges, begun);
}

void Service::Report(std::span<http::Exchange* const> exchanges, SteadyTime begun) const {
  const std::chrono::nanoseconds took = options_.real_clock->Steady() - begun;
  for (const http::Exchange* const exchange : exchanges) {
    if (!exchange->response) continue;  // Left for another turn.
    const Operation* const operation = FindOperation(exchange->request.Header("x-amz-target"));
    options_.on_answered(operation != nullptr ? operation->name : "", took,
                         exchange->response->status);
  }
}

// On success the exchange has its response, is queued, or waits for queued writes of its client.
// The client is authenticated before anything of the body is read; then the order of checks is
// DynamoDB's: JSON, types, constraints.
Outcome<void> Service::Run(http::Exchange& exchange, Round& round) {
  const http::Request& request = exchange.request;
  if (ContentTypeFor(request).empty()) {
    exchange.response = NotJson();
    Dress(request, origins_, clock_.Now(), *exchange.response);
    return {};
  }
  const std::string_view target = request.Header("x-amz-target");
  const Operation* const operation = FindOperation(target);
  if (operation == nullptr) return UnknownOperation(target);
  MAYFLY_REQUIRE(Authorize(request));
  std::string inflated;
  const bool compressed = !request.Header("content-encoding").empty();
  if (compressed) {
    MAYFLY_TRY(inflated, InflatedBody(request));
  }
  const std::string& text = compressed ? inflated : request.body;
  if (options_.runner != nullptr && options_.runner->Takes(*operation)) {
    round.run.push_back(&exchange);
    round.calls.push_back({.client = exchange.client, .operation = operation, .json = text});
    return {};
  }
  JsonMemory memory(text.size());
  const Result<json::value> body = ParseJson(text, memory.values(), memory.scratch());
  if (!body) {
    const bool too_large = body.error().code() == StatusCode::kBusy;
    return Refusal(too_large ? ErrorKind::kRequestTooLarge : ErrorKind::kSerialization,
                   std::string(body.error().message()));
  }
  if (!body->is_object()) return Mistyped("the body is no JSON object");
  MAYFLY_REQUIRE(CheckShape(body->get_object(), *operation->shape));
  const Fields in(body->get_object());
  if (operation->read_write != nullptr) {
    MAYFLY_TRY(AskedWrite write, operation->read_write(in));
    round.writes.Add(exchange, std::move(write));
    return {};
  }
  if (round.writes.HasOf(exchange.client)) {
    DoWrites(round);
    if (!round.writes.empty()) return {};
  }
  const Context context = {tables_, clock_, std::string(request.Header("host")), region_};
  const Outcome<Reply> outcome = operation->handler(context, in);
  if (operation->writes && outcome && !outcome->only_read) round.acknowledged.push_back(&exchange);
  Respond(exchange, round, outcome);
  return {};
}

// Applies some, at least one; all, unless their responses are too long.
void Service::DoWrites(Round& round) {
  while (!round.writes.empty()) {
    round.writes.DoFirst(tables_, [&](http::Exchange& exchange, const tables::ItemWrite& write,
                                      Capacity& capacity, Result<WriteOutcome> outcome) {
      if (outcome) round.acknowledged.push_back(&exchange);
      Respond(exchange, round, ReplyTo(write, capacity, std::move(outcome)));
    });
    if (round.bytes > http::kOutputBytesBeforeSend) return;
  }
}

void Service::RunCalls(Round& round) {
  if (round.calls.empty()) return;
  options_.runner->Run(round.calls);
  for (std::size_t i = 0; i < round.calls.size(); ++i) {
    RunnerCall& call = round.calls[i];
    round.run[i]->response = Write(&round.run[i]->request, call.status, std::move(call.reply));
  }
}

void Service::Respond(http::Exchange& exchange, Round& round, const Outcome<Reply>& outcome) {
  if (outcome) {
    exchange.response = Write(&exchange.request, 200, ToText(*outcome));
  } else {
    exchange.response = Refuse(exchange.request, outcome.error());
  }
  round.bytes += exchange.response->body.size();
}

// A write is visible to all clients even if it could not be made durable; the response carries the
// disk's error.
void Service::MakeDurable(const Round& round) {
  if (round.acknowledged.empty() || options_.make_durable == nullptr) return;
  const Status durable = options_.make_durable();
  if (durable.ok()) return;
  for (http::Exchange* const exchange : round.acknowledged) {
    exchange->response = Refuse(exchange->request, FromStatus(durable));
  }
}

http::Response Service::Refuse(const http::Request& request, const Refusal& refusal) {
  if (refusal.http_status() >= 500) {
    Log(logger_, LogLevel::kError, "{}: {}", request.Header("x-amz-target"), refusal.message());
  }
  return Write(&request, refusal.http_status(), ToText(refusal.Body()));
}

Outcome<void> Service::Authorize(const http::Request& request) const {
  if (!options_.secrets.empty()) {
    return CheckSignature(request, options_.secrets, options_.region, clock_.Now());
  }
  // A page of a name that was made to mean this machine needs no permission to read responses.
  const std::string_view origin = request.Header("origin");
  if (!origin.empty() && !MayRead(origins_, origin)) {
    return Refusal(ErrorKind::kAccessDenied,
                   fmt::format("pages of {} may not use the tables: see http-origins", origin));
  }
  if (!options_.open_to_strangers) return {};
  return Refusal(ErrorKind::kAccessDenied,
                 "http-bind is no loopback address and there are no keys: set http-keys to "
                 "ID:SECRET and sign requests with it, or bind HTTP to 127.0.0.1");
}

http::Response Service::Write(const http::Request* request, int status, std::string body) {
  static const http::Request kUnread;
  const http::Request& of = request == nullptr ? kUnread : *request;
  http::Response response;
  response.status = status;
  response.content_type = ContentTypeFor(of);
  response.body = std::move(body);
  response.headers["x-amzn-RequestId"] = NewRequestId();
  Dress(of, origins_, clock_.Now(), response);
  return response;
}

// 52 capitals and digits, as clients log them. Unique, and no secret.
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
