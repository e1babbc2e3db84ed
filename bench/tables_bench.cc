// tables_bench - requests to an endpoint that speaks DynamoDB's API, or the same calls of the
// library.
//   tables_bench PORT create                       makes the table
//   tables_bench PORT put|get|update|query N       N requests over 16 connections
//   tables_bench embedded DIR N                    all four on a database of its own
// Prints operations per second. tables_bench.py compares two servers with it.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <memory>
#include <vector>

#include "expiry_scenario.h"
#include "mayfly/database.h"
#include "must.h"
#include "tables_workload.h"

namespace mayfly::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::size_t kConnections = 16;
constexpr std::size_t kStride = 7919;  // Visits items in an order that is not that of their keys.

// One connection: a request, its answer, the next.
class Client {
 public:
  Client(asio::io_context& context, int port) : stream_(context) {
    stream_.connect(asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"),
                                            static_cast<unsigned short>(port)));
  }

  // Asks `next` for bodies until it has none.
  template <typename Next>
  void Run(std::string_view target, Next next) {
    std::string body;
    if (!next(body)) return;
    request_ = {http::verb::post, "/", 11};
    request_.set(http::field::host, "127.0.0.1");
    request_.set(http::field::content_type, "application/x-amz-json-1.0");
    request_.set("X-Amz-Target", fmt::format("DynamoDB_20120810.{}", target));
    request_.set("X-Amz-Date", "20261101T000000Z");
    // dynalite wants one, and does not look into it; mayfly has no keys here.
    request_.set(http::field::authorization,
                 "AWS4-HMAC-SHA256 Credential=bench/20261101/us-east-1/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00");
    request_.body() = std::move(body);
    request_.prepare_payload();
    http::async_write(stream_, request_, [this, target, next](auto error, std::size_t) {
      Must(!error, "writing: " + error.message());
      response_ = {};
      http::async_read(stream_, buffer_, response_, [this, target, next](auto failed, std::size_t) {
        Must(!failed, "reading: " + failed.message());
        Must(response_.result() == http::status::ok, response_.body());
        Run(target, next);
      });
    });
  }

 private:
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

double RunRequests(int port, const NamedOperation& operation, std::size_t requests) {
  asio::io_context context;
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kConnections; ++i) {
    clients.push_back(std::make_unique<Client>(context, port));
  }
  std::size_t sent = 0;
  const auto next = [&](std::string& body) {
    if (sent == requests) return false;
    body = RequestBody(operation.operation, sent++ * kStride % requests);
    return true;
  };
  const Stopwatch watch;
  for (const auto& client : clients) client->Run(operation.target, next);
  context.run();
  return static_cast<double>(requests) / watch.Seconds();
}

void CreateTable(int port) {
  asio::io_context context;
  Client client(context, port);
  bool sent = false;
  client.Run("CreateTable", [&sent](std::string& body) {
    body = CreateTableBody();
    return !std::exchange(sent, true);
  });
  context.run();
}

void RunEmbedded(const std::string& directory, std::size_t calls) {
  const auto database = Must(Database::Open({.directory = directory}));
  const auto tables = Must(Tables::Open(*database));
  Must(tables->CreateTable(BenchTable()));
  for (const NamedOperation& operation : kTableOperations) {
    const Stopwatch watch;
    for (std::size_t i = 0; i < calls; ++i) {
      Do(*tables, operation.operation, i * kStride % calls);
    }
    fmt::print("{} {:.0f}\n", operation.name, static_cast<double>(calls) / watch.Seconds());
  }
}

std::size_t NumberIn(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  Must(error == std::errc() && end == text.data() + text.size() && number > 0,
       fmt::format("'{}' is not a positive number", text));
  return number;
}

void Run(const std::vector<std::string_view>& words) {
  if (words.size() == 3 && words[0] == "embedded") {
    return RunEmbedded(std::string(words[1]), NumberIn(words[2]));
  }
  Must(words.size() >= 2, "tables_bench PORT OPERATION N; bench/README.md");
  const int port = static_cast<int>(NumberIn(words[0]));
  if (words[1] == "create") return CreateTable(port);
  const auto* const operation =
      std::ranges::find_if(kTableOperations, [&](const auto& one) { return one.name == words[1]; });
  Must(operation != kTableOperations.end() && words.size() == 3,
       fmt::format("'{}' is no operation; bench/README.md", words[1]));
  fmt::print("{:.0f}\n", RunRequests(port, *operation, NumberIn(words[2])));
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) { mayfly::bench::Run({argv + 1, argv + argc}); }
