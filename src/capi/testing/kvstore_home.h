// kvstore_home.h - a store through kvstore.h, in memory or in a file, on a clock that stands still.
// For tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/temporary_directory.h"
#include "capi/testing/kvstore_clock.h"
#include "mayfly/clock.h"
#include "mayfly/kvstore.h"

namespace mayfly::kvstore {

enum class Place : std::uint8_t { kMemory, kFile };

// A plausible date, far from any edge.
inline constexpr std::int64_t kStartMs = 1'700'000'000'000;

class KvstoreHome {
 public:
  explicit KvstoreHome(Place place = Place::kMemory) : place_(place) {
    SetClockForTests(&clock_);
    Open();
  }
  ~KvstoreHome() {
    if (kv_ != nullptr) kvstore_close(kv_);
    SetClockForTests(nullptr);
  }
  KvstoreHome(const KvstoreHome&) = delete;
  KvstoreHome& operator=(const KvstoreHome&) = delete;

  KVStore* kv() const { return kv_; }
  ManualClock& clock() { return clock_; }
  std::string path() const { return directory_.Inside("store.db"); }
  const std::string& folder() const { return directory_.path(); }
  bool persistent() const { return place_ == Place::kFile; }

  void Open() {
    KVStoreConfig config{};
    config.journalMode = KVSTORE_JOURNAL_WAL;
    config.syncLevel = KVSTORE_SYNC_NORMAL;
    config.cacheSize = 100;  // The smallest profile.
    const std::string file = path();
    ASSERT_EQ(kvstore_open_v2(persistent() ? file.c_str() : nullptr, &kv_, &config), KVSTORE_OK)
        << kvstore_errmsg(nullptr);
  }

  void Close() {
    ASSERT_EQ(kvstore_close(kv_), KVSTORE_OK);
    kv_ = nullptr;
  }

  void Reopen() {
    Close();
    Open();
  }

  std::int64_t In(std::int64_t ms) const { return kvstore_now_ms() + ms; }

  int Put(const std::string& key, std::int64_t expire_ms = 0, const std::string& value = "v") {
    return kvstore_put_ttl(kv_, key.data(), Size(key), value.data(), Size(value), expire_ms);
  }

  // The value, or nothing without a living row. Fails the test on errors.
  std::optional<std::string> Get(const std::string& key) const {
    void* value = nullptr;
    int size = 0;
    const int code = kvstore_get(kv_, key.data(), Size(key), &value, &size);
    if (code == KVSTORE_NOTFOUND) {
      EXPECT_EQ(value, nullptr);
      return std::nullopt;
    }
    EXPECT_EQ(code, KVSTORE_OK) << kvstore_errmsg(kv_);
    std::string copy(static_cast<char*>(value), static_cast<std::size_t>(size));
    snkv_free(value);
    return copy;
  }

  int Purge() const {
    int deleted = -1;
    EXPECT_EQ(kvstore_purge_expired(kv_, &deleted), KVSTORE_OK) << kvstore_errmsg(kv_);
    return deleted;
  }

  std::int64_t Count() const {
    std::int64_t count = -1;
    EXPECT_EQ(kvstore_count(kv_, &count), KVSTORE_OK);
    return count;
  }

  KVStoreStats Stats() const {
    KVStoreStats stats{};
    EXPECT_EQ(kvstore_stats(kv_, &stats), KVSTORE_OK);
    return stats;
  }

  void ExpectClean() const {
    char* message = nullptr;
    EXPECT_EQ(kvstore_integrity_check(kv_, &message), KVSTORE_OK) << message;
    EXPECT_EQ(message, nullptr);
  }

  static int Size(const std::string& bytes) { return static_cast<int>(bytes.size()); }

 private:
  const Place place_;
  TemporaryDirectory directory_;
  ManualClock clock_{WallTimeFromMs(kStartMs)};
  KVStore* kv_ = nullptr;
};

}  // namespace mayfly::kvstore
