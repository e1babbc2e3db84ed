// leader_link.h - the connection to a leader, and the handshake of Redis' replication protocol.
//   PING, AUTH, REPLCONF listening-port, REPLCONF capa eof capa psync2 capa mayfly, PSYNC id offset
//   -> +CONTINUE [id]: its commands follow; or
//   -> +FULLRESYNC id offset, then $bytes or $EOF:mark, then an RDB, then its commands
// One thread; Interrupt() from any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"
#include "rdb/input.h"

namespace mayfly::server {

struct LeaderAddress {
  std::string host;
  int port = 0;
  std::string user;      // Empty: the default one.
  std::string password;  // Empty: none.
  int own_port = 0;      // Shown in the leader's list of replicas.
  Millis silence_max = Millis(60'000);
};

// How the leader continues.
struct SyncStart {
  bool full = false;
  std::string replication_id;          // Of a continuation, empty: as before.
  std::int64_t offset = 0;             // Of a full copy: where its commands begin.
  std::optional<std::uint64_t> bytes;  // Of the RDB; nothing: it ends with the mark.
  std::string mark;
};

class LeaderLink final : public rdb::ByteSource {
 public:
  // The clock must outlive it.
  explicit LeaderLink(const Clock& clock);
  ~LeaderLink() override;
  LeaderLink(const LeaderLink&) = delete;
  LeaderLink& operator=(const LeaderLink&) = delete;

  // Ends every wait, now and later, with Conflict, until Reset().
  void Interrupt();
  void Reset();

  // Waits so long, unless interrupted.
  void Pause(Millis wait);

  // IoError: nothing listens there, or it is silent for too long; Invalid: it refuses.
  Status Connect(const LeaderAddress& address);
  void Close();

  // Asks for what is behind `offset` of this stream; empty: for a full copy.
  Result<SyncStart> Sync(const std::string& replication_id, std::int64_t offset);

  // Tells how far the commands are applied.
  Status Acknowledge(std::int64_t offset);

  // Waits for bytes, up to `wait`. Nothing: none came. IoError: the connection has ended, or was
  // silent for too long. Conflict: interrupted.
  Result<std::optional<std::size_t>> Receive(char* to, std::size_t bytes_max, Millis wait);

  // Bytes that have arrived by now and can be received without waiting.
  std::size_t Waiting() const;

  // As ByteSource, for a copy: waits, and tells the leader every second that it is alive.
  Result<std::size_t> Read(char* to, std::size_t bytes_max) override;

  SteadyTime last_io() const { return last_io_; }

 private:
  Status Send(Bytes bytes);
  Status SendCommand(const std::vector<std::string>& words);
  Result<std::string> ReadLine();
  Result<std::string> Ask(const std::vector<std::string>& words);
  Status ConnectTo(const LeaderAddress& address);
  Result<bool> WaitFor(short events, Millis wait);  // False: nothing happened.

  const Clock& clock_;
  Millis silence_max_ = Millis(60'000);
  int socket_ = -1;
  int wake_ = -1;        // An eventfd.
  std::string pending_;  // Received behind a line.
  SteadyTime last_io_;
  SteadyTime last_sign_;  // When the leader last heard of us.
};

}  // namespace mayfly::server
