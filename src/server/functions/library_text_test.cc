// Goal: the first line of a library is read as Redis reads it. Method: one line each, with the
// words of the refusal.
#include "server/functions/library_text.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

std::string Outcome(Bytes text) {
  const Result<LibraryText> library = ParseLibraryText(text);
  return library ? library->name : std::string(library.status().message());
}

TEST(LibraryText, TakesTheNameAndKeepsTheNumbersOfLines) {
  const auto library = ParseLibraryText("#!LUA name=my_lib1\nreturn 1");
  ASSERT_TRUE(library);
  EXPECT_EQ(library->name, "my_lib1");
  EXPECT_EQ(library->body, "\nreturn 1");
  EXPECT_EQ(Outcome("#!lua name=\"foo\"\n"), "foo");
  EXPECT_EQ(Outcome("#!lua Name=foo \r\n"), "foo");
}

TEST(LibraryText, RefusesOtherFirstLines) {
  constexpr const char* kName =
      "Library names can only contain letters, numbers, or underscores(_) and must be at least one "
      "character long";
  EXPECT_EQ(Outcome("return 1"), "Missing library metadata");
  EXPECT_EQ(Outcome(""), "Missing library metadata");
  EXPECT_EQ(Outcome("#!lua name=a"), "Invalid library metadata");
  EXPECT_EQ(Outcome("#!lua name=\"a\n"), "Invalid library metadata");
  EXPECT_EQ(Outcome("#!lua\n"), "Library name was not given");
  EXPECT_EQ(Outcome("#!lua name=a name=b\n"),
            "Invalid metadata value, name argument was given multiple times");
  EXPECT_EQ(Outcome("#!lua name=a foo=bar\n"), "Invalid metadata value given: foo=bar");
  EXPECT_EQ(Outcome("#!lua name=\n"), kName);
  EXPECT_EQ(Outcome("#!lua name=a-b\n"), kName);
  EXPECT_EQ(Outcome(Bytes("#!lua name=a\0b\n", 15)), kName);
  EXPECT_EQ(Outcome("#!js name=a\n"), "Engine 'js' not found");
  EXPECT_EQ(Outcome("#! name=a\n"), "Engine '' not found");
}

}  // namespace
}  // namespace mayfly::server
