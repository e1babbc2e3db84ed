// tables_bench - requests to an endpoint that speaks DynamoDB's API, or the same calls of the
// library.
//   tables_bench PORT create                         makes the table
//   tables_bench PORT put|get|update|query N DEPTH   N requests over 16 connections, each of which
//                                                    sends DEPTH requests before it reads responses
//   tables_bench PORT nothing N DEPTH                the same of a request that touches no table
//   tables_bench embedded DIR N                      all four on a database of its own
// About 10,000 items, again and again. Prints operations per second; of the library also
// microseconds of CPU per call. tables_bench.py compares two servers with it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <ctime>
#include <functional>
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

std::string RequestOf(std::string_view target, const std::string& body) {
  // dynalite requires a signature, but does not check it; mayfly has no keys here.
  return fmt::format(
      "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
      "X-Amz-Target: DynamoDB_20120810.{}\r\nX-Amz-Date: 20261101T000000Z\r\n"
      "Authorization: AWS4-HMAC-SHA256 "
      "Credential=bench/20261101/us-east-1/dynamodb/aws4_request, "
      "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00\r\nContent-Length: {}\r\n\r\n{}",
      target, body.size(), body);
}

// One connection, which sends some requests, reads their responses, and sends the next. Written by
// hand for speed, since it shares the cores with the server.
class Client {
 public:
  // Appends a request to the text; false: there are no more.
  using Next = std::function<bool(std::string& to)>;

  Client(asio::io_context& context, int port) : socket_(context) {
    socket_.connect(asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"),
                                            static_cast<unsigned short>(port)));
    socket_.set_option(asio::ip::tcp::no_delay(true));
  }

  void Run(const Next& next, std::size_t depth) {
    requests_.clear();
    answers_.clear();
    taken_ = 0;
    for (missing_ = 0; missing_ < depth && next(requests_); ++missing_) {
    }
    if (missing_ == 0) return;
    asio::async_write(socket_, asio::buffer(requests_),
                      [this, &next, depth](const ErrorCode& error, std::size_t) {
                        Must(!error, "writing: " + error.message());
                        Read(next, depth);
                      });
  }

 private:
  using ErrorCode = boost::system::error_code;

  void Read(const Next& next, std::size_t depth) {
    socket_.async_read_some(asio::buffer(piece_),
                            [this, &next, depth](const ErrorCode& error, std::size_t bytes) {
                              Must(!error, "reading: " + error.message());
                              answers_.append(piece_.data(), bytes);
                              while (missing_ > 0 && TakeAnswer()) --missing_;
                              if (missing_ > 0) return Read(next, depth);
                              Run(next, depth);
                            });
  }

  // Takes one response. False: it is not complete yet.
  bool TakeAnswer() {
    const std::string_view rest = std::string_view(answers_).substr(taken_);
    const std::size_t end = rest.find("\r\n\r\n");
    if (end == std::string_view::npos) return false;
    const std::string_view head = rest.substr(0, end + 2);
    const std::size_t size = end + 4 + LengthIn(head);
    if (rest.size() < size) return false;
    Must(head.starts_with("HTTP/1.1 200"), head);
    taken_ += size;
    return true;
  }

  static std::size_t LengthIn(std::string_view head) {
    for (const std::string_view name : {"Content-Length: ", "content-length: "}) {
      const std::size_t at = head.find(name);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = head.substr(at + name.size());
      return NumberIn(rest.substr(0, rest.find('\r')));
    }
    Must(false, "an answer without its length");
    return 0;
  }

  asio::ip::tcp::socket socket_;
  std::string requests_;
  std::string answers_;
  std::size_t taken_ = 0;    // Of answers_.
  std::size_t missing_ = 0;  // Responses.
  std::array<char, 65536> piece_;
};

// A sequence of requests, to be sent again and again.
std::vector<std::string> RequestsOf(std::string_view name) {
  if (name == "nothing") return {RequestOf("DescribeEndpoints", "{}")};
  const auto* const operation =
      std::ranges::find_if(kTableOperations, [&](const auto& one) { return one.name == name; });
  Must(operation != kTableOperations.end(),
       fmt::format("'{}' is no operation; bench/README.md", name));
  std::vector<std::string> requests;
  for (std::size_t i = 0; i < kBenchItems; ++i) {
    requests.push_back(RequestOf(operation->target, RequestBody(operation->operation, i)));
  }
  return requests;
}

double RunRequests(int port, const std::vector<std::string>& requests, std::size_t count,
                   std::size_t depth) {
  asio::io_context context(1);
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kConnections; ++i) {
    clients.push_back(std::make_unique<Client>(context, port));
  }
  std::size_t sent = 0;
  const Client::Next next = [&](std::string& to) {
    if (sent == count) return false;
    to += requests[sent++ * kStride % requests.size()];
    return true;
  };
  const Stopwatch watch;
  for (const auto& client : clients) client->Run(next, depth);
  context.run();
  return static_cast<double>(count) / watch.Seconds();
}

void CreateTable(int port) {
  asio::io_context context;
  Client client(context, port);
  bool sent = false;
  const Client::Next next = [&sent](std::string& to) {
    to += RequestOf("CreateTable", CreateTableBody());
    return !std::exchange(sent, true);
  };
  client.Run(next, 1);
  context.run();
}

void RunEmbedded(const std::string& directory, std::size_t calls) {
  const auto database = Must(Database::Open({.directory = directory}));
  const auto tables = Must(Tables::Open(*database));
  Must(tables->CreateTable(BenchTable()));
  for (std::size_t i = 0; i < kBenchItems; ++i) Do(*tables, TableOperation::kPut, i);
  for (const NamedOperation& operation : kTableOperations) {
    const Stopwatch watch;
    const std::clock_t before = std::clock();
    for (std::size_t i = 0; i < calls; ++i) {
      Do(*tables, operation.operation, i * kStride % kBenchItems);
    }
    const double cpu_us = static_cast<double>(std::clock() - before) * 1e6 / CLOCKS_PER_SEC;
    const auto count = static_cast<double>(calls);
    fmt::print("{} {:.0f} {:.1f}\n", operation.name, count / watch.Seconds(), cpu_us / count);
  }
}

void Run(const std::vector<std::string_view>& words) {
  if (words.size() == 3 && words[0] == "embedded") {
    return RunEmbedded(std::string(words[1]), NumberIn(words[2]));
  }
  Must(words.size() >= 2, "tables_bench PORT OPERATION N; bench/README.md");
  const int port = static_cast<int>(NumberIn(words[0]));
  if (words[1] == "create") return CreateTable(port);
  Must(words.size() == 4, "tables_bench PORT OPERATION N DEPTH; bench/README.md");
  fmt::print("{:.0f}\n",
             RunRequests(port, RequestsOf(words[1]), NumberIn(words[2]), NumberIn(words[3])));
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) { mayfly::bench::Run({argv + 1, argv + argc}); }
