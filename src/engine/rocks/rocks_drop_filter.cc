#include "engine/rocks/rocks_drop_filter.h"

#include <utility>

#include "engine/rocks/compaction_pace.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

class DropFilter final : public rocksdb::CompactionFilter {
 public:
  // One of them may be null.
  DropFilter(std::unique_ptr<DropPolicy::Judge> judge, CompactionPace* pace)
      : judge_(std::move(judge)), pace_(pace) {}

  Decision FilterV2(int /*level*/, const rocksdb::Slice& key, ValueType type,
                    const rocksdb::Slice& value, std::string* /*new_value*/,
                    std::string* /*skip_until*/) const override {
    if (pace_ != nullptr) pace_->GoneBy(key.size() + value.size());
    if (judge_ == nullptr || type != ValueType::kValue) return Decision::kKeep;
    return judge_->IsDead(ToBytes(key), ToBytes(value)) ? Decision::kRemove : Decision::kKeep;
  }

  const char* Name() const override { return "mayfly.drop"; }

 private:
  const std::unique_ptr<DropPolicy::Judge> judge_;
  CompactionPace* const pace_;  // Lives on the stack beneath the compaction.
};

class DropFilterFactory final : public rocksdb::CompactionFilterFactory {
 public:
  DropFilterFactory(std::shared_ptr<const DropPolicy> policy, Role role)
      : policy_(std::move(policy)), role_(role) {}

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& /*context*/) override {
    auto judge = policy_->NewJudge(role_);
    CompactionPace* const pace = CompactionPace::OfThisThread();
    if (judge == nullptr && pace == nullptr) return nullptr;
    return std::make_unique<DropFilter>(std::move(judge), pace);
  }

  const char* Name() const override { return "mayfly.drop"; }

 private:
  const std::shared_ptr<const DropPolicy> policy_;  // Shared with the engine's creator.
  const Role role_;
};

}  // namespace

std::shared_ptr<rocksdb::CompactionFilterFactory> NewDropFilterFactory(
    std::shared_ptr<const DropPolicy> policy, Role role) {
  return std::make_shared<DropFilterFactory>(std::move(policy), role);
}

}  // namespace mayfly::engine
