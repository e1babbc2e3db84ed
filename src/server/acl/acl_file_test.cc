// Goal: an ACL file is taken as a whole or not at all, and what is saved loads again.
// Method: texts of files, with the faults the real server finds in them; a file in a fresh folder.
#include "server/acl/acl_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "server/acl/testing/test_families.h"

namespace mayfly::server {
namespace {

constexpr const char* kUntouched =
    "WARNING: ACL errors detected, no change to the previously active ACL rules was performed";

class AclFile : public testing::Test {
 protected:
  AclFile() { EXPECT_TRUE(acl_.SetUser("old", Words("on")).ok()); }

  std::string Load(Bytes text) {
    const Status status = LoadAclText(acl_, text, "f");
    return status.ok() ? "OK" : std::string(status.message());
  }
  std::string Names() {
    std::string names;
    for (const auto& [name, user] : acl_.users()) names += name + " ";
    return names;
  }

  Acl acl_{TestTable()};
};

TEST_F(AclFile, ReplacesAllUsers) {
  EXPECT_EQ(Load("user a on >x ~k +get\n\n  user b (+get ~a) (+set)  \r\n"), "OK");
  EXPECT_EQ(Names(), "a b default ");
  EXPECT_EQ(acl_.Find("default")->Describe(), "user default on nopass ~* &* +@all");
  EXPECT_EQ(acl_.Find("b")->selectors().size(), 3u);
  EXPECT_EQ(Load("user default off"), "OK");
  EXPECT_FALSE(acl_.Find("default")->enabled());
  EXPECT_EQ(Load(""), "OK");
  EXPECT_EQ(Names(), "default ");
}

TEST_F(AclFile, IsRefusedWithAllItsFaults) {
  EXPECT_EQ(
      Load("user b on +nope\nuser c on ~x foo bar\nhello\nuser\n"),
      std::string("f:1: Error in applying operation '+nope': Unknown command or category name "
                  "in ACL. f:2: Syntax error. f:3 should start with user keyword followed by "
                  "the username. f:4 should start with user keyword followed by the username. ") +
          kUntouched);
  EXPECT_EQ(Load("user d on\nuser d off\n"),
            std::string("WARNING: Duplicate user 'd' found on line 2. ") + kUntouched);
  EXPECT_EQ(Load("user g (+get\n"),
            std::string("f:1: Unmatched parenthesis in selector definition.") + kUntouched);
  EXPECT_EQ(
      Load("# comment\n"),
      std::string("f:1 should start with user keyword followed by the username. ") + kUntouched);
  EXPECT_EQ(Names(), "default old ");
}

TEST_F(AclFile, LoadsWhatWasSaved) {
  const TemporaryDirectory folder;
  const std::string path = folder.Inside("users.acl");
  EXPECT_TRUE(acl_.SetUser("u", Words("on >pw ~a %R~b &c +@read -get (+set ~z)")).ok());
  const std::string line = acl_.Find("u")->Describe();
  ASSERT_TRUE(SaveAclFile(acl_, path).ok());
  EXPECT_TRUE(*acl_.DeleteUser("u"));
  ASSERT_TRUE(LoadAclFile(acl_, path).ok());
  EXPECT_EQ(acl_.Find("u")->Describe(), line);
  EXPECT_EQ(Names(), "default old u ");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_F(AclFile, ThatIsNotThereIsAnError) {
  const TemporaryDirectory folder;
  EXPECT_EQ(LoadAclFile(acl_, folder.Inside("none")).code(), StatusCode::kIoError);
  EXPECT_EQ(SaveAclFile(acl_, folder.Inside("no/such/folder")).code(), StatusCode::kIoError);
  EXPECT_EQ(Names(), "default old ");
}

}  // namespace
}  // namespace mayfly::server
