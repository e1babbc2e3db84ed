#include "expressions/case_table.h"

#include <sstream>

#include "base/check.h"

namespace mayfly::expressions {
namespace {

std::string Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

}  // namespace

std::vector<Case> ReadCases(std::string_view table) {
  constexpr std::string_view kArrow = " => ";
  std::vector<Case> cases;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    if (Trimmed(line).empty() || line.starts_with("//")) continue;
    if (line.starts_with(' ')) {
      MAYFLY_CHECK(!cases.empty(), "an expectation without a case");
      std::string& expected = cases.back().expected;
      if (!expected.empty()) expected += ' ';
      expected += Trimmed(line);
      continue;
    }
    const std::size_t arrow = line.find(kArrow);
    if (arrow == line.npos) {
      cases.push_back({.text = Trimmed(line), .expected = {}});
    } else {
      cases.push_back({.text = Trimmed(line.substr(0, arrow)),
                       .expected = Trimmed(line.substr(arrow + kArrow.size()))});
    }
  }
  for (const Case& one : cases) MAYFLY_CHECK(!one.expected.empty(), one.text.c_str());
  return cases;
}

}  // namespace mayfly::expressions
