// Goal: a web page cannot make a browser run commands here.
// Method: requests of HTTP as browsers send them, with commands in their bodies, on a whole server.
#include <gtest/gtest.h>

#include "server/front_served.h"
#include "server/recording_logger.h"

namespace mayfly::server {
namespace {

class CrossProtocol : public testing::Test {
 protected:
  // The server's output before it closes.
  std::string Answered(const std::string& request) {
    TestClient browser(served_.port());
    browser.Send(request);
    return browser.ReadAll();
  }

  RecordingLogger logger_;
  FrontServed served_{Served::Settings{}, logger_};
  TestClient client_{served_.port()};
};

TEST_F(CrossProtocol, ABodyBehindPostIsNotRun) {
  EXPECT_EQ(Answered("POST / HTTP/1.1\r\nHost: evil\r\n\r\nSET hacked 1\r\n"), "");
  EXPECT_EQ(Answered("post / HTTP/1.1\r\nSET hacked 1\r\n"), "");
  EXPECT_EQ(client_.Text("GET hacked"), "(nil)");
}

// Whatever the method, HTTP/1.1 has this header, before the body.
TEST_F(CrossProtocol, ABodyBehindAHostIsNotRun) {
  for (const char* const method : {"PUT", "GET", "OPTIONS"}) {
    const std::string answered = Answered(
        std::string(method) + " / HTTP/1.1\r\nAccept: *\r\nhost: evil\r\n\r\nSET hacked 1\r\n");
    EXPECT_EQ(answered.find("+OK"), std::string::npos) << answered;
  }
  EXPECT_EQ(client_.Text("GET hacked"), "(nil)");
}

TEST_F(CrossProtocol, NeitherWithinATransactionNorBeforeLogin) {
  EXPECT_EQ(Answered("MULTI\r\nSET hacked 1\r\nHost: evil\r\nEXEC\r\n").find("*1"),
            std::string::npos);
  EXPECT_EQ(client_.Text("GET hacked"), "(nil)");
  EXPECT_EQ(client_.Text("CONFIG SET requirepass pw"), "OK");
  EXPECT_EQ(Answered("POST / HTTP/1.1\r\nAUTH pw\r\nSET hacked 1\r\n"), "");
  EXPECT_EQ(client_.Text("GET hacked"), "(nil)");
}

TEST_F(CrossProtocol, WhatCameBeforeItIsRun) {
  Answered("SET before 1\r\nPOST / HTTP/1.1\r\nSET behind 1\r\n");
  EXPECT_EQ(client_.Text("MGET before behind"), "[1, (nil)]");
}

TEST_F(CrossProtocol, IsLoggedOnceAMinute) {
  for (int i = 0; i < 50; ++i) Answered("POST / HTTP/1.1\r\n");
  EXPECT_EQ(logger_.Count("sends HTTP"), 1);
}

}  // namespace
}  // namespace mayfly::server
