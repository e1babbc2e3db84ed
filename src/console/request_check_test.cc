// Goal: the console answers its own page, on machines and under names that the settings name.
// Method: requests as the HTTP port would hand them over. What goes over a socket: tests/console_api.
#include "console/request_check.h"

#include <gtest/gtest.h>

namespace mayfly::console {
namespace {

class RequestCheck : public testing::Test {
 protected:
  int Refusal(const std::string& host) {
    request_.headers["host"] = host;
    const auto refused = RefuseStranger(request_, config_);
    return refused ? refused->status : 0;
  }

  server::Config config_;
  http::Peer peer_{.address = "127.0.0.1:1", .local = true};
  http::Request request_{
      .method = {}, .path = {}, .query = {}, .body = {}, .headers = {}, .peer = &peer_};
};

TEST_F(RequestCheck, OtherMachinesAreRefusedUnlessASettingLetsThem) {
  EXPECT_EQ(Refusal("10.0.0.1"), 0);
  peer_ = {.address = "10.0.0.7:1"};
  EXPECT_EQ(Refusal("10.0.0.1"), 403);
  EXPECT_EQ(Refusal("localhost"), 403);
  request_.peer = nullptr;
  EXPECT_EQ(Refusal("10.0.0.1"), 403);
  request_.peer = &peer_;
  ASSERT_TRUE(config_.SetAtStart("console-remote", "yes").ok());
  EXPECT_EQ(Refusal("10.0.0.1"), 0);
  EXPECT_EQ(Refusal("evil.example"), 403) << "a name is checked all the same";
  ASSERT_TRUE(config_.SetAtStart("console", "no").ok());
  EXPECT_EQ(Refusal("10.0.0.1"), 404);
}

TEST_F(RequestCheck, NamesAreComparedWhole) {
  ASSERT_TRUE(config_.SetAtStart("console-hosts", "db.example, [bad, ,other").ok());
  for (const char* right : {"db.example", "DB.example:8000", "other", "[::1]", "[::1]:8000",
                            "127.0.0.1", "localhost:1", "10.1.2.3:80"}) {
    EXPECT_EQ(Refusal(right), 0) << right;
  }
  for (const char* wrong : {"", ":8000", "[", "[]", "b.example", "db.example.evil", "xother",
                            "127.0.0.1.evil.example", "localhost.", "2130706433.evil", "2130706433",
                            "127.0.0.1:", "127.0.0.1:80@evil.example", "127.0.0.1:8x", "[::1",
                            "[::1].evil.example", "[::1]:80:80", "localhost:80, evil.example"}) {
    EXPECT_EQ(Refusal(wrong), 403) << wrong;
  }
}

TEST_F(RequestCheck, ACookieIsFoundByItsWholeName) {
  request_.headers["cookie"] = "xid=1; id=2;id2=3; id3=4";
  EXPECT_EQ(CookieOf(request_, "id"), "2");
  EXPECT_EQ(CookieOf(request_, "id2"), "3");
  EXPECT_EQ(CookieOf(request_, "i"), "");
  request_.headers["cookie"] = "id";
  EXPECT_EQ(CookieOf(request_, "id"), "");
}

TEST_F(RequestCheck, ACookieThatIsThereTwiceIsNone) {
  for (const char* cookies : {"id=1; id=2", "id=1;id=1", "id=; a=b; id=1", "id=1; id="}) {
    request_.headers["cookie"] = cookies;
    EXPECT_EQ(CookieOf(request_, "id"), "") << cookies;
  }
}

TEST_F(RequestCheck, AnAddressIsWithoutItsPort) {
  EXPECT_EQ(AddressOf(request_), "127.0.0.1");
  peer_ = {.address = "[::1]:80"};
  EXPECT_EQ(AddressOf(request_), "[::1]");
}

TEST_F(RequestCheck, AddressesOfOneClientAreOneNetwork) {
  const auto network = [&](const char* address) {
    peer_ = {.address = address};
    return NetworkOf(request_);
  };
  EXPECT_EQ(network("10.0.0.1:1"), "10.0.0.1");
  EXPECT_EQ(network("[2001:db8:1:2:3:4:5:6]:1"), network("[2001:db8:1:2::9]:2"));
  EXPECT_NE(network("[2001:db8:1:2:3:4:5:6]:1"), network("[2001:db8:1:3:3:4:5:6]:1"));
  EXPECT_EQ(network("[::ffff:10.0.0.1]:1"), "10.0.0.1");
  request_.peer = nullptr;
  EXPECT_EQ(NetworkOf(request_), "");
}

}  // namespace
}  // namespace mayfly::console
