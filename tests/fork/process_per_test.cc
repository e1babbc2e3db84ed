// process_per_test.cc - a main() that runs each test in a process of its own.
// A child of fork() may begin threads only if its parent had none: ThreadSanitizer ends it otherwise.
// RocksDB's threads outlive the databases of earlier tests, so a test that makes such children gets
// a process that has run no other. A filter is taken to name what belongs together: one process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// Whether the test passed, which may also have ended its process.
bool Passes(const std::string& test) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    GTEST_FLAG_SET(filter, test);
    std::exit(RUN_ALL_TESTS());  // NOLINT(concurrency-mt-unsafe): there is one thread.
  }
  int outcome = 0;
  if (::waitpid(child, &outcome, 0) == child && outcome == 0) return true;
  std::printf("%s ended with %d\n", test.c_str(), outcome);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(filter) != "*") return RUN_ALL_TESTS();
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  bool passed = all.total_test_count() > 0;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      passed &= Passes(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
    }
  }
  return passed ? 0 : 1;
}
