#include "engine/hot/log/testing/faulty_log_disk.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace mayfly::engine::hot {

class FaultyLogFile final : public LogFile {
 public:
  FaultyLogFile(FaultyLogDisk& disk, std::string name, std::shared_ptr<FaultyLogDisk::Inode> inode)
      : disk_(disk), name_(std::move(name)), inode_(std::move(inode)) {}

  Status Allocate(std::uint64_t bytes) override {
    const std::lock_guard lock(disk_.mutex_);
    MAYFLY_RETURN_IF_ERROR(disk_.Arrives("allocate room for", name_));
    const std::uint64_t more = bytes - std::min<std::uint64_t>(bytes, inode_->now.size());
    if (disk_.Used() + more > disk_.room_) {
      return Status::Busy("cannot allocate room for " + name_ + ": no space left on device");
    }
    inode_->now.resize(inode_->now.size() + more);
    return {};
  }

  Status Write(std::uint64_t offset, Bytes bytes) override {
    disk_.CallBeforeIo();
    const std::lock_guard lock(disk_.mutex_);
    ++disk_.writes_;
    Status arrives = disk_.Arrives("write", name_);
    if (!arrives.ok()) {
      const bool is_dark = disk_.changes_ - 1 > disk_.cut_at_;
      bytes = bytes.substr(0, is_dark ? 0 : bytes.size() / 2);
    }
    MAYFLY_CHECK(offset + bytes.size() <= inode_->now.size(), "a write behind the allocated room");
    inode_->now.replace(offset, bytes.size(), bytes);
    for (std::uint64_t at = offset / FaultyLogDisk::kSectorBytes;
         at * FaultyLogDisk::kSectorBytes < offset + bytes.size(); ++at) {
      inode_->rewritten.insert(at);
    }
    return arrives;
  }

  Result<std::string> Read(std::uint64_t offset, std::uint64_t bytes) override {
    const std::lock_guard lock(disk_.mutex_);
    return offset < inode_->now.size() ? inode_->now.substr(offset, bytes) : std::string();
  }

  Result<std::uint64_t> Size() override {
    const std::lock_guard lock(disk_.mutex_);
    return static_cast<std::uint64_t>(inode_->now.size());
  }

  Status Truncate(std::uint64_t bytes) override {
    const std::lock_guard lock(disk_.mutex_);
    MAYFLY_RETURN_IF_ERROR(disk_.Arrives("shorten", name_));
    inode_->now.resize(bytes);
    return {};
  }

  Status Sync() override {
    disk_.CallBeforeIo();
    const std::lock_guard lock(disk_.mutex_);
    ++disk_.syncs_;
    const Status arrives = disk_.Arrives("make durable", name_);
    if (disk_.ignore_syncs_) return arrives;
    FaultyLogDisk::Inode& inode = *inode_;
    if (arrives.ok()) {
      inode.device.resize(inode.now.size());
      inode.clean.resize(inode.now.size());
      constexpr std::size_t kSector = FaultyLogDisk::kSectorBytes;
      for (std::size_t at = 0; at < inode.now.size(); at += kSector) {
        const std::size_t size = std::min(kSector, inode.now.size() - at);
        if (inode.rewritten.contains(at / kSector) ||
            inode.now.compare(at, size, inode.clean, at, size) != 0) {
          inode.device.replace(at, size, inode.now, at, size);
        }
      }
    }
    inode.clean = inode.now;
    inode.rewritten.clear();
    return arrives;
  }

  Result<char*> Map(std::uint64_t bytes) override {
    const std::lock_guard lock(disk_.mutex_);
    if (disk_.refuse_maps_) return Status::Unsupported("cannot allocate room ahead");
    MAYFLY_CHECK(bytes <= inode_->now.size(), "a mapping behind the allocated room");
    return inode_->now.data();
  }

  void Populate(std::uint64_t /*offset*/, std::uint64_t /*bytes*/) override {}

 private:
  FaultyLogDisk& disk_;
  const std::string name_;
  const std::shared_ptr<FaultyLogDisk::Inode> inode_;
};

Status FaultyLogDisk::Arrives(const char* what, const std::string& name) {
  const std::uint64_t change = changes_++;
  if (change >= cut_at_) return Status::IoError("no power");
  if (change < fail_begin_ || change >= fail_end_) return {};
  const bool is_full = fault_ == Fault::kNoSpace;
  return {is_full ? StatusCode::kBusy : StatusCode::kIoError,
          std::string("cannot ") + what + " " + PathOf(name) +
              (is_full ? ": no space left" : ": input/output error")};
}

std::uint64_t FaultyLogDisk::Used() const {
  std::uint64_t used = 0;
  for (const auto& [name, inode] : names_) used += inode->now.size();
  return used;
}

Result<std::vector<std::string>> FaultyLogDisk::List() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, inode] : names_) names.push_back(name);
  return names;
}

Result<std::unique_ptr<LogFile>> FaultyLogDisk::Create(const std::string& name) {
  const std::lock_guard lock(mutex_);
  MAYFLY_RETURN_IF_ERROR(Arrives("create", name));
  if (names_.contains(name)) return Status::IoError(PathOf(name) + " exists");
  auto inode = std::make_shared<Inode>();
  names_[name] = inode;
  unsynced_names_.push_back({.name = name, .inode = inode});
  return std::unique_ptr<LogFile>(std::make_unique<FaultyLogFile>(*this, name, inode));
}

Result<std::unique_ptr<LogFile>> FaultyLogDisk::Open(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(name);
  if (found == names_.end()) return Status::IoError(PathOf(name) + " is not there");
  return std::unique_ptr<LogFile>(std::make_unique<FaultyLogFile>(*this, name, found->second));
}

Status FaultyLogDisk::Remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  MAYFLY_RETURN_IF_ERROR(Arrives("remove", name));
  if (names_.erase(name) == 0) return Status::IoError(PathOf(name) + " is not there");
  unsynced_names_.push_back({.name = name, .inode = nullptr});
  return {};
}

Status FaultyLogDisk::SyncDirectory() {
  const std::lock_guard lock(mutex_);
  MAYFLY_RETURN_IF_ERROR(Arrives("make durable", "."));
  if (ignore_syncs_) return {};
  durable_names_ = names_;
  unsynced_names_.clear();
  return {};
}

void FaultyLogDisk::Tick() {
  const std::lock_guard lock(mutex_);
  ++changes_;
}

std::uint64_t FaultyLogDisk::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

void FaultyLogDisk::FailAt(std::uint64_t change, Fault fault, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  fail_begin_ = change;
  fail_end_ = count == kNever ? kNever : change + count;
  fault_ = fault;
}

void FaultyLogDisk::SetRoom(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  room_ = bytes;
}

void FaultyLogDisk::CutPowerAt(std::uint64_t change) {
  const std::lock_guard lock(mutex_);
  cut_at_ = change;
}

void FaultyLogDisk::IgnoreSyncs(bool ignore) {
  const std::lock_guard lock(mutex_);
  ignore_syncs_ = ignore;
}

void FaultyLogDisk::RefuseMaps(bool refuse) {
  const std::lock_guard lock(mutex_);
  refuse_maps_ = refuse;
}

// Each sector is as it was synced, or as it was written last.
void FaultyLogDisk::Survive(Inode& inode, Random& random) {
  inode.device.resize(random.OneIn(2) ? inode.now.size() : inode.device.size());
  const std::uint64_t way = random.Below(4);
  const std::uint64_t prefix = random.Below(inode.device.size() + 1);
  for (std::size_t at = 0; at < std::min(inode.device.size(), inode.now.size());
       at += kSectorBytes) {
    const bool keeps_new = way == 1 || (way == 2 && at < prefix) || (way == 3 && random.OneIn(2));
    const std::size_t size =
        std::min({std::size_t{kSectorBytes}, inode.device.size() - at, inode.now.size() - at});
    if (keeps_new) inode.device.replace(at, size, inode.now, at, size);
  }
  inode.now = inode.device;
  inode.clean = inode.device;
}

void FaultyLogDisk::PowerCut(Random& random) {
  Restart();
  const std::lock_guard lock(mutex_);
  const std::uint64_t kept = random.Below(unsynced_names_.size() + 1);
  for (std::size_t i = 0; i < kept; ++i) {
    const NameChange& change = unsynced_names_[i];
    if (change.inode == nullptr) {
      durable_names_.erase(change.name);
    } else {
      durable_names_[change.name] = change.inode;
    }
  }
  unsynced_names_.clear();
  names_ = durable_names_;
  for (const auto& [name, inode] : names_) Survive(*inode, random);
}

void FaultyLogDisk::Restart() {
  const std::lock_guard lock(mutex_);
  std::map<std::shared_ptr<Inode>, std::shared_ptr<Inode>> copies;
  const auto renew = [&](std::shared_ptr<Inode>& inode) {
    if (inode == nullptr) return;
    auto& copy = copies[inode];
    if (copy == nullptr) copy = std::make_shared<Inode>(*inode);
    inode = copy;
  };
  for (auto& [name, inode] : names_) renew(inode);
  for (auto& [name, inode] : durable_names_) renew(inode);
  for (NameChange& change : unsynced_names_) renew(change.inode);
  cut_at_ = kNever;
  fail_begin_ = kNever;
  fail_end_ = kNever;
  room_ = kNever;
}

void FaultyLogDisk::OnWriteOrSync(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  on_write_or_sync_ = std::move(call);
}

void FaultyLogDisk::CallBeforeIo() {
  std::unique_lock lock(mutex_);
  const std::function<void()> call = on_write_or_sync_;
  lock.unlock();
  if (call) call();
}

void FaultyLogDisk::Clear() {
  const std::lock_guard lock(mutex_);
  names_.clear();
  durable_names_.clear();
  unsynced_names_.clear();
}

std::uint64_t FaultyLogDisk::syncs() const {
  const std::lock_guard lock(mutex_);
  return syncs_;
}

std::uint64_t FaultyLogDisk::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

std::string& FaultyLogDisk::BytesOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return names_.at(name)->now;
}

bool FaultyLogDisk::Has(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return names_.contains(name);
}

}  // namespace mayfly::engine::hot
