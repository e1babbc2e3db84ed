// case_table.h - cases of a test, one below the other in a raw string.
//   a = :n          => true
//   a > 4
//     Syntax error; token: "4",
//     near: "> 4"
// What is written, and what is expected: behind an arrow, or on indented lines, which are joined
// with one space. Lines that begin with // are comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mayfly::expressions {

struct Case {
  std::string text;
  std::string expected;
};

// A table with anything else in it ends the test.
std::vector<Case> ReadCases(std::string_view table);

}  // namespace mayfly::expressions
