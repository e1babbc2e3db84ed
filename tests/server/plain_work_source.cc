#include "server/plain_work_source.h"

#include <utility>

namespace mayfly::server {

class PlainWorkSource::OneWork final : public core::Work {
 public:
  OneWork(PlainWorkSource& source, std::unique_lock<std::mutex> latch)
      : source_(source), latch_(std::move(latch)), work_(source.state_, source.clock_.Now()) {}

  core::WorkSpace& In(const Keyspace& keyspace) override { return work_.In(keyspace); }
  WallTime now() const override { return work_.now(); }
  Mark SetMark() override { return work_.SetMark(); }
  void RollBack(Mark mark) override { work_.RollBack(mark); }
  const std::vector<core::ChangedKey>& changed() const override { return work_.changed(); }
  core::Looks& looks() override { return work_.looks(); }

  Status Commit() override {
    Status outcome;
    if (!work_.changed().empty() && source_.fail_next_.exchange(false)) {
      outcome = Status::IoError("the disk is full");
    } else {
      outcome = work_.Commit();
      ++source_.committed;
    }
    latch_.unlock();
    return outcome;
  }

 private:
  PlainWorkSource& source_;
  std::unique_lock<std::mutex> latch_;
  core::PlainWork work_;
};

Result<std::unique_ptr<core::Work>> PlainWorkSource::Begin(const core::WorkScope& /*scope*/) {
  before_begin();
  std::unique_lock latch(latch_);
  ++begun;
  return std::unique_ptr<core::Work>(std::make_unique<OneWork>(*this, std::move(latch)));
}

}  // namespace mayfly::server
