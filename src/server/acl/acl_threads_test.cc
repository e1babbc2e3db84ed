// Goal: users may be changed while other threads check.
// Method: threads that check, log and change at once; each check sees a user whole. For tsan.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "server/acl/acl_session.h"
#include "server/acl/testing/test_families.h"

namespace mayfly::server {
namespace {

TEST(AclThreads, ACheckSeesAUserBeforeOrAfterAChange) {
  Acl acl(TestTable());
  ASSERT_TRUE(acl.SetUser("u", Words("on nopass +get ~a")).ok());
  std::atomic<bool> done = false;
  std::vector<std::thread> checkers;
  for (int i = 0; i < 2; ++i) {
    checkers.emplace_back([&] {
      AclSession session(acl);
      EXPECT_TRUE(session.Authenticate("u", ""));
      const CommandSpec& get = *acl.table().Find("get")->spec;
      const std::vector<Bytes> args = {"get", "a"};
      while (!done) {
        const AclUser* const user = session.user();
        // Never a mixture of two states, which would refuse it.
        const auto denial = CheckAcl(*user, acl.table(), get, args);
        EXPECT_FALSE(denial.has_value());
        acl.log().Add({AclReason::kKey, "k"}, AclWhere::kTopLevel, "u", "", SteadyTime());
      }
    });
  }
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(acl.SetUser("u", Words("resetkeys nocommands +@read ~*")).ok());
    ASSERT_TRUE(acl.SetUser("u", Words("resetkeys nocommands +get ~a")).ok());
    acl.users();
    acl.log().Latest(10);
  }
  done = true;
  for (std::thread& checker : checkers) checker.join();
}

}  // namespace
}  // namespace mayfly::server
