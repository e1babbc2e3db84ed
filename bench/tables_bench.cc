// tables_bench - requests to an endpoint that speaks DynamoDB's API, or the same calls of the
// library.
//   tables_bench PORT create                       makes the table
//   tables_bench PORT put|get|update|query N       N requests over 16 connections
//   tables_bench embedded DIR N                    all four on a database of its own
// Prints operations per second. tables_bench.py compares two servers with it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <cctype>
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

constexpr std::size_t kConnections = 16;
constexpr std::size_t kStride = 7919;  // Visits items in an order that is not that of their keys.

std::size_t NumberIn(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  Must(error == std::errc() && end == text.data() + text.size() && number > 0,
       fmt::format("'{}' is not a positive number", text));
  return number;
}

// One connection: a request, its answer, the next. By hand, since it shares the cores with what is
// measured.
class Client {
 public:
  Client(asio::io_context& context, int port) : socket_(context) {
    socket_.connect(asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"),
                                            static_cast<unsigned short>(port)));
    socket_.set_option(asio::ip::tcp::no_delay(true));
  }

  // Asks `next` for bodies until it has none.
  template <typename Next>
  void Run(std::string_view target, Next next) {
    std::string body;
    if (!next(body)) return;
    // dynalite wants a signature, and does not look into it; mayfly has no keys here.
    request_ = fmt::format(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "X-Amz-Target: DynamoDB_20120810.{}\r\nX-Amz-Date: 20261101T000000Z\r\n"
        "Authorization: AWS4-HMAC-SHA256 "
        "Credential=bench/20261101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00\r\nContent-Length: {}\r\n\r\n{}",
        target, body.size(), body);
    asio::async_write(socket_, asio::buffer(request_),
                      [this, target, next](const ErrorCode& error, std::size_t) {
                        Must(!error, "writing: " + error.message());
                        answer_.clear();
                        Read(target, next);
                      });
  }

 private:
  using ErrorCode = boost::system::error_code;

  template <typename Next>
  void Read(std::string_view target, Next next) {
    socket_.async_read_some(asio::buffer(piece_),
                            [this, target, next](const ErrorCode& error, std::size_t bytes) {
                              Must(!error, "reading: " + error.message());
                              answer_.append(piece_.data(), bytes);
                              if (!IsWhole()) return Read(target, next);
                              Must(answer_.starts_with("HTTP/1.1 200"), answer_);
                              Run(target, next);
                            });
  }

  bool IsWhole() const {
    const std::size_t head = answer_.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    static constexpr std::string_view kLength = "content-length: ";
    const auto found = std::search(
        answer_.begin(), answer_.end(), kLength.begin(), kLength.end(),
        [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    Must(found != answer_.end(), "an answer without its length");
    const auto at = static_cast<std::size_t>(found - answer_.begin()) + kLength.size();
    const std::string_view rest = std::string_view(answer_).substr(at);
    return answer_.size() == head + 4 + NumberIn(rest.substr(0, rest.find('\r')));
  }

  asio::ip::tcp::socket socket_;
  std::string request_;
  std::string answer_;
  std::array<char, 65536> piece_;
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
