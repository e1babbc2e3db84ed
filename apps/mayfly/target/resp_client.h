// resp_client.h - a connection to a server in the Redis protocol, over TCP, TLS or a unix socket.
// Requests are sent and replies awaited on the caller's thread. Ctrl-C ends a wait, and so does a
// server that is silent for longer than the timeout. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/mayfly/target/server_url.h"
#include "mayfly/clock.h"
#include "mayfly/keyspace.h"
#include "mayfly/result.h"
#include "wire/reply.h"
#include "wire/reply_parser.h"

namespace mayfly::app {

struct TlsOptions {
  std::string ca_file;  // PEM; empty: the system's certificates.
  bool insecure = false;
};

using Request = std::vector<std::string>;

// The bytes under the connection. IoError: none could be moved for `timeout`, unless that is
// kForever, or the connection is broken; Conflict: Ctrl-C. It cannot be used any more then.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual Status Write(Bytes bytes, Millis timeout) = 0;
  // Appends at least one byte to the parser.
  virtual Status Read(ReplyParser& parser, Millis timeout) = 0;
};

class RespClient {
 public:
  // Connects, authenticates and selects the database. `timeout`, or kForever, also holds for the
  // replies to come. IoError: nothing listens there, TLS fails, or nothing answers; WrongPassword:
  // the server refuses user and password, or wants some.
  static Result<std::unique_ptr<RespClient>> Connect(const ServerUrl& url, const TlsOptions& tls,
                                                     Millis timeout);

  // The reply, which may be an error of the server.
  Result<Reply> Run(const Request& request);

  // The same, however long it takes: for commands that wait, such as BLPOP.
  Result<Reply> RunPatiently(const Request& request);

  // The same for requests that are sent together, in order.
  Result<std::vector<Reply>> RunAll(const std::vector<Request>& requests);

  // As Run(); an error of the server is returned as a Status.
  Result<Reply> Ask(const Request& request);

  // The next message of a subscription or of MONITOR, however long it takes. Conflict: Ctrl-C.
  Result<Reply> Receive() { return Next(kForever); }

 private:
  RespClient(std::unique_ptr<ByteStream> stream, Millis timeout)
      : stream_(std::move(stream)), timeout_(timeout) {}

  Status Send(const std::vector<Request>& requests);
  Result<Reply> Next(Millis timeout);

  std::unique_ptr<ByteStream> stream_;
  const Millis timeout_;
  ReplyParser parser_;
};

// A server's error as a Status: WRONGTYPE, NOAUTH and the like by their code, others Invalid.
Status StatusOf(const Reply& error);

// The fields of a map, of RESP3 or as RESP2 writes it.
class ReplyFields {
 public:
  explicit ReplyFields(const Reply& map) : map_(map) {}

  const Reply* Find(std::string_view name) const;
  std::string Text(std::string_view name) const;      // Empty: there is none.
  std::uint64_t Number(std::string_view name) const;  // 0: there is none.
  WallTime Instant(std::string_view name) const;
  const Reply::Items& Items(std::string_view name) const;  // Empty: there are none.

 private:
  const Reply& map_;
};

}  // namespace mayfly::app
