// test_client.h - a client that waits for its replies, on a real socket.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/reply.h"
#include "wire/reply_parser.h"

namespace mayfly::server {

class TestClient {
 public:
  // To a port of the loopback interface or of another address of this machine, or to a unix socket.
  // Throws when the connection is refused.
  explicit TestClient(int port) : TestClient("127.0.0.1", port) {}
  TestClient(const std::string& ip, int port);
  explicit TestClient(const std::string& path);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // Bytes as they are.
  void Send(const std::string& bytes);

  // A command given as one line, as redis-cli takes it, sent as a list of arguments.
  void SendLine(const std::string& line);

  // The next reply; throws when none comes for ten seconds or the server has closed.
  Reply Read();

  // Text of the reply, as TextOf() of the command tester gives it.
  std::string ReadText();
  std::string Text(const std::string& line);
  Reply Ask(const std::string& line);

  // True when the server has closed, after all replies were read; waits for it.
  bool Closed();

  // Whether nothing has arrived so far.
  bool Quiet();

  // Everything until the server closes.
  std::string ReadAll();

  // Shuts down the sending side.
  void ShutdownSend();

 private:
  bool Receive();

  int socket_ = -1;
  ReplyParser parser_;
};

}  // namespace mayfly::server
