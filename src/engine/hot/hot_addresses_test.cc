// Goal: a process whose virtual memory is limited gets an engine with less room, or an error that
// says what to do. Method: such a limit (ulimit -v) while the engine is opened.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "engine/hot/hot_engine.h"
#include "engine/hot/testing/cold_disk.h"

namespace mayfly::engine::hot {
namespace {

// This process may have so many addresses more than it has, while this lives.
class AddressLimit {
 public:
  explicit AddressLimit(std::uint64_t more) {
    EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    struct rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more;
    EXPECT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
  }
  ~AddressLimit() { EXPECT_EQ(::setrlimit(RLIMIT_AS, &before_), 0); }
  AddressLimit(const AddressLimit&) = delete;
  AddressLimit& operator=(const AddressLimit&) = delete;

 private:
  struct rlimit before_ = {};
};

class HotAddressesTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Engine>> OpenWith(std::uint64_t more) {
    const AddressLimit limit(more);
    return OpenHotEngineOn(
        {.name = "hot", .cold = cold_.Open(), .files = FilesOf(disk_, cold_), .key = nullptr},
        {.segment_bytes = kSegmentBytesMin, .huge_pages = false, .has_thread = false});
  }

  FaultyLogDisk disk_;
  ColdDisk cold_{disk_};
};

TEST_F(HotAddressesTest, FewerAreReservedWhereTheProcessIsLimited) {
  const auto engine = OpenWith(std::uint64_t{3} << 30);
  ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
  constexpr Address kAddressRows{.role = Role::kRows};
  Batch batch;
  batch.Put(kAddressRows, "key", "value");
  ASSERT_TRUE((*engine)->Commit(batch).ok());
  PinnedBytes value;
  ASSERT_TRUE((*engine)->Get(kAddressRows, "key", value).ok());
  EXPECT_EQ(value.view(), "value");
  EXPECT_TRUE((*engine)->Close().ok());
}

TEST_F(HotAddressesTest, TooFewAreAnErrorThatNamesTheLimit) {
  const auto engine = OpenWith(std::uint64_t{200} << 20);
  ASSERT_EQ(engine.status().code(), StatusCode::kBusy) << engine.status().ToString();
  EXPECT_NE(engine.status().message().find("ulimit -v"), Bytes::npos);
}

}  // namespace
}  // namespace mayfly::engine::hot
