// session.h - one client: its state, its replies, and what other threads may do to it.
// A session belongs to the thread that reads its socket. Other threads see the state it published
// last, and reach it through Post() and functions built on it; both outlive the connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/clock.h"
#include "server/session/client_state.h"
#include "server/session/session_extension.h"
#include "server/session/waiting_clients.h"
#include "wire/byte_buffer.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

class Server;

// Memory of a client's buffers: bytes in use, and spare capacity.
struct BufferBytes {
  std::size_t input = 0;
  std::size_t input_room = 0;
  std::size_t output = 0;
  std::size_t output_room = 0;
};

// What a session asks of the owner of its socket.
class Outlet {
 public:
  virtual ~Outlet() = default;

  // Runs the task on the session's thread, soon. From any thread.
  virtual void Post(std::function<void()> task) = 0;

  // On the session's thread. Sends what is in out().
  virtual void Flush() = 0;

  // Goes on with commands that have arrived: the session no longer waits.
  virtual void Resume() = 0;

  // While a command runs: handles what has arrived for the other clients of this thread.
  virtual void ServeOthers() = 0;

  // Ends the connection at once, or when the command that runs has ended.
  virtual void Close() = 0;

  virtual BufferBytes buffers() const = 0;
};

// Gives a session more to send when it has sent all: for a stream without end. On the session's
// thread.
class OutputSource {
 public:
  virtual ~OutputSource() = default;

  // Appends what there is, a bounded part of it, to `out`. False: there is nothing more to come,
  // and the connection is to be closed.
  virtual bool Fill(OutputBuffer& out) = 0;

  // The connection has ended.
  virtual void Ended() = 0;
};

// Where a client came from; constant.
struct ClientOrigin {
  std::uint64_t id = 0;
  std::string address;  // "127.0.0.1:52123", or the path of the unix socket and ":0".
  std::string local_address;
  int descriptor = -1;
  bool unix_socket = false;
  bool tls = false;
  bool local = false;  // Loopback or unix socket.
};

// The published state of a session, as CLIENT LIST shows it.
struct ClientInfo {
  std::string name;
  std::string user;
  std::string library_name;
  std::string library_version;
  int database = 0;
  int protocol = 2;
  SessionExtension::Subscriptions subscriptions;
  std::int64_t queued = -1;  // Commands in MULTI; -1: none open.
  std::size_t queued_bytes = 0;
  std::size_t watched = 0;
  BufferBytes buffers;
  const CommandEntry* last_command = nullptr;
  SteadyTime last_active;
  bool blocked = false;
  bool monitors = false;
  bool follows = false;  // It is a follower's.
  bool no_evict = false;
  bool no_touch = false;
  bool closing = false;
  bool tracking = false;
  bool tracking_broadcast = false;
  bool tracking_broken = false;
  std::int64_t redirect = -1;  // As CLIENT GETREDIR.

  // All memory of the client: its session, its buffers, its queued commands.
  std::size_t memory_bytes() const;
};

// Why a session does not go on with its next command.
enum class Hold : std::uint8_t { kNone, kBlocked, kPaused, kScript, kShard };

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Server& server, ClientOrigin origin);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const ClientOrigin& origin() const { return origin_; }
  SteadyTime created() const { return created_; }

  // The session's thread only.
  void Attach(std::weak_ptr<Outlet> outlet) { outlet_ = std::move(outlet); }
  ClientState& state() { return state_; }
  OutputBuffer& out() { return out_; }
  SessionExtension& extension() { return *extension_; }
  Hold hold() const { return hold_; }
  bool ready() const { return hold_ == Hold::kNone && !state_.close_after_reply; }
  void Pause() { hold_ = Hold::kPaused; }
  void AwaitScript();                          // Until the script that runs has ended.
  void AwaitShard() { hold_ = Hold::kShard; }  // Until its owner is known, for a moment.
  void Park(std::shared_ptr<Waiter> waiter, std::optional<Millis> timeout);
  void CancelPark();
  std::optional<Millis> block_timeout() const { return block_timeout_; }
  void Publish();  // Publishes the current state to other threads.
  void Forget();   // Drops watches, subscriptions, a blocked command: all that others hold.
  void Reset();    // RESET.
  void DropWatches();
  void StopTracking();

  // From now on it sends what the source gives, and no replies. Shared with the source's owner.
  void SetSource(std::shared_ptr<OutputSource> source);
  bool has_source() const { return source_ != nullptr; }
  void FillOut();
  void SendMore();  // The source has more.

  // As CLIENT LIST shows it, for logs. `command`: the one concerned; empty: the last one.
  std::string Describe(std::string_view command = {}) const;

  // Writes a message or a reply of another thread between two replies; deferred while a command
  // runs.
  void Send(const std::function<void(ReplyWriter&)>& write);
  void BeginCommand() { running_ = true; }
  void EndCommand();

  // Ends a wait: writes the reply and goes on. No effect when the session no longer waits.
  void Unpark(const std::shared_ptr<Waiter>& waiter, Bytes reply);
  void Unpause() { GoOn(Hold::kPaused); }
  void ScriptEnded() { GoOn(Hold::kScript); }
  void LookForShard() { GoOn(Hold::kShard); }
  void BlockTimedOut();

  // Within a command: see Outlet.
  void ServeOthers();

  // Within a command: the connection ends when it does, and its reply is not sent.
  void Abort();

  // Publishes the memory of the buffers: more often than the rest is published.
  void NoteBuffers(const BufferBytes& bytes);

  // Any thread.
  ClientInfo info() const;
  void Post(std::function<void(Session&)> task);

  // Has a message of so many bytes sent, as Send() does. Messages that wait together are written
  // together. The session's thread may be busy: a session with more than kPostedBytesMax posted is
  // closed, and gets no more.
  void PostMessage(std::size_t bytes, std::function<void(ReplyWriter&)> write);
  void Kill();  // When it returns, others hold nothing of it; its thread has yet to close it.
  bool gone() const { return outlet_.expired(); }

  // CLIENT UNBLOCK: true when this call ended the wait.
  bool Unblock(bool with_error);

  // Ends this wait with an error; no effect when it has ended.
  void FailWait(const std::shared_ptr<Waiter>& waiter, const std::string& line);

  // Ends this wait with replies of other servers; no effect when it has ended.
  void EndPeerWait(const std::shared_ptr<Waiter>& waiter, std::string replies);

 private:
  void GoOn(Hold held);
  void TakeMessages();
  void NoteRan(Waiter& waiter);
  std::shared_ptr<Waiter> waiter() const;
  bool EndWait(const std::shared_ptr<Waiter>& waiter);  // False: it had ended before.
  void WriteFailedWait(const Waiter& waiter, const std::string& line, ReplyWriter& writer);

  Server& server_;
  const ClientOrigin origin_;
  const SteadyTime created_;

  std::weak_ptr<Outlet> outlet_;  // Owns this session.
  ClientState state_;
  OutputBuffer out_;
  std::unique_ptr<SessionExtension> extension_;
  std::shared_ptr<OutputSource> source_;
  Hold hold_ = Hold::kNone;
  std::optional<Millis> block_timeout_;
  bool running_ = false;
  std::vector<std::function<void(ReplyWriter&)>> deferred_;  // Came while a command ran.

  struct NotedBytes {
    std::atomic<std::size_t> input{0};
    std::atomic<std::size_t> input_room{0};
    std::atomic<std::size_t> output{0};
    std::atomic<std::size_t> output_room{0};
  } noted_;
  std::atomic<bool> overrun_{false};
  std::mutex messages_mutex_;  // Guards the next two; nothing is taken under it.
  std::deque<std::pair<std::size_t, std::function<void(ReplyWriter&)>>> messages_;
  std::size_t posted_bytes_ = 0;
  mutable std::mutex mutex_;
  ClientInfo info_;                 // Guarded by mutex_; its buffers are those above.
  std::shared_ptr<Waiter> waiter_;  // Guarded by mutex_; null: not blocked.
};

}  // namespace mayfly::server
