// shard_rig.h - a shard on objects in memory, for the tests beside it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cluster/objects/testing/memory_objects.h"
#include "engine/cluster/shard/shard.h"
#include "engine/cluster/shard/shard_engine.h"

namespace mayfly::engine::cluster {

inline constexpr Address kAt = {.role = Role::kRows};
inline constexpr WallTime kRigStart = WallTimeFromMs(1'700'000'000'000);

class ShardRig : public testing::Test {
 protected:
  static constexpr const char* kObject = "db.shard.0";

  ShardRig() { lease_->SetUntil(SteadyTime::max()); }

  // As ownership does it: whatever is there, it is now this server's.
  OwnerRecord Claim(ServerId server) {
    const OwnerRecord record{.server = server, .incarnation = 1, .epoch = ++epoch_};
    EXPECT_TRUE(objects_->Write(kObject, {.sets = {{OwnerKey(), Encode(record)}}}).ok());
    return record;
  }

  Result<std::shared_ptr<Shard>> TryOpen(const OwnerRecord& record) {
    auto shard = std::make_shared<Shard>(
        store_, ShardPlace{.object = kObject, .name = "shard 0", .record = record}, lease_,
        options_);
    shard->SetOnBroken([this] { ++broken_; });
    MAYFLY_RETURN_IF_ERROR(shard->Load());
    return shard;
  }
  std::shared_ptr<Shard> Open(const OwnerRecord& record) {
    auto shard = TryOpen(record);
    EXPECT_TRUE(shard.has_value()) << shard.status().ToString();
    return shard.value();
  }
  void OpenEngine() {
    engine_.reset();
    shard_ = Open(Claim(1));
    engine_ = NewShardEngine(shard_);
  }

  Status Put(Bytes key, Bytes value, Address at = kAt) {
    Batch batch;
    batch.Put(at, key, value);
    return engine_->Commit(batch);
  }
  Status Delete(Bytes key) {
    Batch batch;
    batch.Delete(kAt, key);
    return engine_->Commit(batch);
  }
  std::optional<std::string> Get(Bytes key, Address at = kAt) {
    PinnedBytes value;
    const Status status = engine_->Get(at, key, value);
    if (status.IsNotFound()) return std::nullopt;
    EXPECT_TRUE(status.ok()) << status.ToString();
    return std::string(value.view());
  }
  StatusCode CodeOfGet(Bytes key) {
    PinnedBytes value;
    return engine_->Get(kAt, key, value).code();
  }

  // The value of a row as it is in the store.
  std::string Stored(Bytes key, Address at = kAt) {
    return objects_->MapOf(kObject)[RowKey(at, key)];
  }

  // The fates of the next writes of maps, one after the other; then all happen.
  void FatesOfWrites(std::vector<Fate> fates) {
    const auto next = std::make_shared<std::size_t>(0);
    store_->SetFate([fates = std::move(fates), next](Request request, const std::string&) {
      const bool chosen = request == Request::kWriteMap && *next < fates.size();
      return chosen ? fates[(*next)++] : Fate::kHappens;
    });
  }

  ManualClock clock_{kRigStart};
  const std::shared_ptr<MemoryObjects> objects_ = std::make_shared<MemoryObjects>();
  const std::shared_ptr<MemoryObjectStore> store_ = std::make_shared<MemoryObjectStore>(objects_);
  const std::shared_ptr<ReadLease> lease_ = std::make_shared<ReadLease>(clock_);
  ShardOptions options_;
  std::uint64_t epoch_ = 0;
  std::atomic<int> broken_{0};
  std::shared_ptr<Shard> shard_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace mayfly::engine::cluster
