// connection.h - a client's socket: reads commands, runs them, sends replies.
//   read into the parser -> pipeline -> executor -> out -> sending -> socket
// Everything happens on the thread of its io_context. While the session waits for something, input
// is read into a side buffer, so that a disconnect is noticed, and the arguments of commands that
// wait in the pipeline stay where they are. A pipeline that takes long gives way to the other
// connections of its thread every kTurnTime. What a client has sent is run, even if it has left.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/executor/pipeline.h"
#include "server/net/living.h"
#include "server/net/stream.h"
#include "server/session/session.h"
#include "wire/request_parser.h"

namespace mayfly::server {

class IoThread;

class Connection final : public Outlet, public std::enable_shared_from_this<Connection> {
 public:
  Connection(IoThread& thread, Stream stream, ClientOrigin origin, const RequestLimits& limits);
  ~Connection() override;

  // With TLS, the handshake comes first.
  void Start();

  // Sends the last replies, and closes.
  void Farewell();

  // Checks limits: every kLookInterval.
  void Look(SteadyTime now);

  Session& session() { return *session_; }

  // Outlet.
  void Post(std::function<void()> task) override;
  void Flush() override;
  void Resume() override { Proceed(); }
  void ServeOthers() override;
  void Close() override;
  BufferBytes buffers() const override;

 private:
  void Begin();
  void Proceed();
  void RunTurn();
  void GiveWay();
  bool FillPipeline();
  void WaitOrRead();
  void Read();
  void ReadAside();
  void OnRead(const ErrorCode& error, std::size_t bytes, bool aside);
  void SendNext();
  void TakeOutput();
  void NoteSent(std::size_t bytes);
  void OnWritten(const ErrorCode& error, std::size_t bytes);
  void AwaitScript();
  void ArmTimer(std::chrono::nanoseconds after, Hold hold);
  void DisarmTimer();
  std::size_t output_bytes() const { return sending_.size() + session_->out().size(); }
  std::size_t input_memory() const;
  void ReleaseInput();
  bool PassesOutputLimit();
  bool KeepsLinesTooLong(SteadyTime now) const;
  void GiveInputBack(SteadyTime now);
  void AwaitBytes();

  const Living living_;  // Of the thread: first, so that it goes last.
  IoThread& thread_;
  Stream stream_;
  asio::steady_timer timer_;      // Ends a wait.
  std::uint64_t timer_turn_ = 0;  // Which wait it ends.
  std::shared_ptr<Session> session_;
  RequestParser parser_;
  Pipeline pipeline_;
  std::size_t pipeline_bytes_ = 0;  // Their size as received.
  OutputBuffer sending_;            // Not to be touched while writing_.
  std::string aside_;               // Arrived while the session waited.
  std::vector<char> aside_room_;    // Buffer of reads into aside_.
  const std::size_t aside_bytes_max_;
  std::optional<SteadyTime> above_soft_since_;
  SteadyTime sending_since_;          // Start of the current write.
  std::size_t input_peak_bytes_ = 0;  // Since the last check.
  // A read is being cancelled so that its memory can be freed.
  enum class Ending : std::uint8_t { kNo, kReadsOn, kAwaitsBytes } ending_read_ = Ending::kNo;
  bool reading_ = false;
  bool writing_ = false;
  bool proceeding_ = false;  // Proceed() is on the stack.
  bool rests_ = false;       // Until less waits to be sent.
  bool gives_way_ = false;   // Until the other connections had their turns.
  bool lost_ = false;        // Nothing can be sent any more: closes behind the pipeline.
  bool closing_ = false;     // Once everything is sent.
  bool doomed_ = false;      // Close() came while a command ran.
  bool closed_ = false;
};

}  // namespace mayfly::server
