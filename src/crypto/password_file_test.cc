// Which part of a file is the password, and which files are refused.
// Method: files with every kind of end.
#include "crypto/password_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "crypto/database_key.h"

namespace mayfly::crypto {
namespace {

class PasswordFile : public ::testing::Test {
 protected:
  Result<Secret> Of(const std::string& text) {
    std::ofstream(directory_.Inside("file"), std::ios::binary) << text;
    return ReadPasswordFile(directory_.Inside("file"));
  }

  TemporaryDirectory directory_;
};

TEST_F(PasswordFile, IsReadWithoutItsLineEnd) {
  EXPECT_EQ(Of("secret").value().view(), "secret");
  EXPECT_EQ(Of("secret\n").value().view(), "secret");
  EXPECT_EQ(Of("secret\r\n").value().view(), "secret");
  EXPECT_EQ(Of("secret\n\n").value().view(), "secret\n");
  EXPECT_EQ(Of(std::string("a\0 b\n", 5)).value().view(), Bytes("a\0 b", 4));
  const std::string longest(kPasswordBytesMax, 'x');
  EXPECT_EQ(Of(longest + "\r\n").value().view(), longest);
}

TEST_F(PasswordFile, HasAPasswordOfASize) {
  EXPECT_EQ(Of("").status().code(), StatusCode::kInvalid);
  EXPECT_EQ(Of("\n").status().code(), StatusCode::kInvalid);
  EXPECT_EQ(Of(std::string(kPasswordBytesMax + 1, 'x')).status().code(), StatusCode::kInvalid);
  EXPECT_EQ(Of(std::string(100'000, 'x')).status().code(), StatusCode::kInvalid);
  const auto missing = ReadPasswordFile(directory_.Inside("missing"));
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
  EXPECT_NE(missing.status().message().find("missing"), Bytes::npos);
  EXPECT_EQ(ReadPasswordFile(directory_.path()).status().code(), StatusCode::kIoError);
}

}  // namespace
}  // namespace mayfly::crypto
