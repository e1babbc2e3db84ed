#include "engine/rocks/rocks_deadlines.h"

#include <utility>

#include "base/coding.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

constexpr const char* kProperty = "mayfly.deadlines";       // Stored; never rename.
constexpr const char* kCoveredProperty = "mayfly.covered";  // Stored; never rename.

class DeadlineCollector final : public rocksdb::TablePropertiesCollector {
 public:
  DeadlineCollector(std::shared_ptr<const DropPolicy> policy, Role role)
      : policy_(std::move(policy)), role_(role) {}

  rocksdb::Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice& value,
                             rocksdb::EntryType type, rocksdb::SequenceNumber /*sequence*/,
                             std::uint64_t /*file_size*/) override {
    // Versions of a key are adjacent, the newest first.
    if (type != rocksdb::kEntryRangeDeletion) {
      if (any_ && ToBytes(key) == last_key_) ++covered_;
      any_ = true;
      last_key_.assign(key.data(), key.size());
    }
    if (type == rocksdb::kEntryPut) {
      stats_.Add(policy_->DeadlineOf(role_, ToBytes(key), ToBytes(value)),
                 key.size() + value.size());
    }
    return rocksdb::Status::OK();
  }

  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
    properties->emplace(kProperty, stats_.Encode());
    std::string covered;
    AppendVarint(covered, covered_);
    properties->emplace(kCoveredProperty, std::move(covered));
    return rocksdb::Status::OK();
  }

  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }
  const char* Name() const override { return kProperty; }

 private:
  const std::shared_ptr<const DropPolicy> policy_;
  const Role role_;
  DeadlineStats stats_;
  bool any_ = false;
  std::string last_key_;
  std::uint64_t covered_ = 0;
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
  const std::shared_ptr<const DropPolicy> policy_;  // Shared with the engine's creator.
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

std::uint64_t CoveredIn(const rocksdb::TableProperties& properties) {
  const auto found = properties.user_collected_properties.find(kCoveredProperty);
  // Older files have no such count: there may be one.
  if (found == properties.user_collected_properties.end()) return 1;
  Bytes rest = found->second;
  std::uint64_t covered = 0;
  return EatVarint(rest, covered) && rest.empty() ? covered : 1;
}

}  // namespace mayfly::engine
