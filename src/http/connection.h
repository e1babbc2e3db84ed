// connection.h - one HTTP client.
//   TLS handshake -> read -> every complete request in the input: header, body -> its loop has them
//        answered -> one write -> read ...
// Responses leave in the order of their requests. Everything of it runs on the thread of its loop.
#pragma once

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/loop.h"
#include "http/request_reader.h"
#include "http/response_text.h"
#include "http/router.h"
#include "http/stream.h"

namespace mayfly::http {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `open` counts connections; the loop and it must outlive this one. The socket is one of the
  // loop's; null: no TLS. It may be constructed on any thread.
  Connection(Loop& loop, Stream::Socket socket, boost::asio::ssl::context* tls,
             std::atomic<std::size_t>& open);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Start();

  // For a connection beyond the limit.
  void TurnAway();

  void CloseIfOverdue(std::int64_t tick);

  // For its loop, when responses are made.
  void ListUnanswered(std::vector<Exchange*>& exchanges);
  void OnAnswered();

 private:
  using ErrorCode = boost::system::error_code;

  // How it ends when everything is sent.
  enum class Ending : std::uint8_t { kNone, kClose, kDrain };

  struct Asked {
    Exchange exchange;
    AnswerManner manner;
  };

  void Enter();
  void Shake();
  void OnShaken(const ErrorCode& error);
  void RefusePlain();
  void Proceed();
  void Gather();
  bool MayAskMore() const;
  void OnHeader();
  void Ask();
  bool HoldMemory() { return memory_.Hold(asked_bytes_ + reader_.body_memory()); }
  bool IsWaiting() const { return told_ < asked_; }
  std::string& LastWords();
  void ForgetAsked();
  void Refuse(int status);
  void BeginNext();
  void Read();
  bool SendNow();
  void SendRest(std::size_t sent);
  void OnSent();
  void End();
  void HalfClose();
  void Drain();
  void Close();
  void Allow(std::chrono::seconds time) { overdue_at_ = loop_.TickAfter(time); }

  Loop& loop_;
  Stream stream_;
  std::atomic<std::size_t>& open_;
  const Peer peer_;                  // Constant: requests point to it.
  boost::beast::flat_buffer input_;  // Input not parsed yet.
  std::vector<Asked> requests_;      // Those from asked_ on are kept for their memory.
  std::size_t asked_ = 0;
  std::size_t asked_bytes_ = 0;  // Of all of them.
  std::size_t told_ = 0;         // Of the asked ones: their responses are in output_, or sent.
  std::string output_;           // Responses not sent yet.
  std::string last_words_;       // Sent after the responses to all requests.
  RequestReader reader_;
  BodyBudget::Share memory_;             // Of the requests and the reader's body.
  const RouteOptions* route_ = nullptr;  // Of the request; null before its header is complete.
  Ending ending_ = Ending::kNone;
  std::int64_t overdue_at_ = 0;          // A tick of the loop.
  std::int64_t crowded_overdue_at_ = 0;  // The same among too many bodies or handshakes.
  bool shakes_hands_ = false;
  std::size_t drained_ = 0;
};

}  // namespace mayfly::http
