#include "engine/rocks/rocks_deadlines.h"

#include <utility>

#include "engine/rocks/rocks_status.h"

namespace mayfly::engine {
namespace {

constexpr const char* kProperty = "mayfly.deadlines";  // Stored; never rename.

class DeadlineCollector final : public rocksdb::TablePropertiesCollector {
 public:
  DeadlineCollector(std::shared_ptr<const DropPolicy> policy, Role role)
      : policy_(std::move(policy)), role_(role) {}

  rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice& value,
                             rocksdb::EntryType type, rocksdb::SequenceNumber /*sequence*/,
                             std::uint64_t /*file_size*/) override {
    if (type == rocksdb::kEntryPut) {
      stats_.Add(policy_->DeadlineOf(role_, ToBytes(key), ToBytes(value)),
                 key.size() + value.size());
    }
    return rocksdb::Status::OK();
  }

  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
    properties->emplace(kProperty, stats_.Encode());
    return rocksdb::Status::OK();
  }

  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }
  const char* Name() const override { return kProperty; }

 private:
  const std::shared_ptr<const DropPolicy> policy_;
  const Role role_;
  DeadlineStats stats_;
};

class DeadlineCollectorFactory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  DeadlineCollectorFactory(std::shared_ptr<const DropPolicy> policy, Role role)
      : policy_(std::move(policy)), role_(role) {}

  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context /*context*/) override {
    return new DeadlineCollector(policy_, role_);  // RocksDB deletes it.
  }

  const char* Name() const override { return kProperty; }

 private:
  const std::shared_ptr<const DropPolicy> policy_;  // Shared with whoever opened the engine.
  const Role role_;
};

}  // namespace

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewDeadlineCollectorFactory(
    std::shared_ptr<const DropPolicy> policy, Role role) {
  return std::make_shared<DeadlineCollectorFactory>(std::move(policy), role);
}

Result<DeadlineStats> DeadlinesOf(const rocksdb::TableProperties& properties) {
  const auto found = properties.user_collected_properties.find(kProperty);
  if (found == properties.user_collected_properties.end()) return DeadlineStats();
  return DeadlineStats::Decode(found->second);
}

}  // namespace mayfly::engine
