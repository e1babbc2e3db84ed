// main() of programs that hold the tests of several files.
//   --from=purge_turns_test    runs the tests of purge_turns_test.cc alone
// ctest has an entry per file, so that a crash hides the results of one file and of no other. Fails
// when the file has no test, and when a test stands in a file that has no entry, because ctest would
// never run it. A filter of GoogleTest's own goes before `--from`: a death test starts the program
// again with one.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string StemOf(const testing::TestInfo& test) {
  return std::filesystem::path(test.file()).stem().string();
}

std::vector<const testing::TestInfo*> AllTests() {
  std::vector<const testing::TestInfo*> tests;
  const auto& unit_test = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit_test.total_test_suite_count(); ++i) {
    const auto& suite = *unit_test.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) tests.push_back(suite.GetTestInfo(k));
  }
  return tests;
}

// The filter that chooses the tests of `stem`.cc; empty after an error, which it prints.
std::string FilterOf(std::string_view stem) {
  std::string filter;
  for (const testing::TestInfo* test : AllTests()) {
    const std::string from = StemOf(*test);
    if (!from.ends_with("_test")) {
      std::fprintf(stderr, "%s.%s: %s is no *_test.cc, so ctest does not run it\n",
                   test->test_suite_name(), test->name(), test->file());
      return {};
    }
    if (from != stem) continue;
    if (!filter.empty()) filter += ':';
    filter.append(test->test_suite_name()).append(".").append(test->name());
  }
  if (filter.empty()) std::fprintf(stderr, "%s.cc has no test\n", std::string(stem).c_str());
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view kFrom = "--from=";
    if (!argument.starts_with(kFrom)) {
      std::fprintf(stderr, "unknown argument %s; expected --from=FILE or GoogleTest's\n", argv[i]);
      return 2;
    }
    if (testing::GTEST_FLAG(filter) != "*") continue;
    const std::string filter = FilterOf(argument.substr(kFrom.size()));
    if (filter.empty()) return 2;
    testing::GTEST_FLAG(filter) = filter;
  }
  return RUN_ALL_TESTS();
}
