#include "open_database.h"

#include <pthread.h>

#include <atomic>

namespace mayfly::python {
namespace {

std::atomic<std::uint64_t> forks = 0;

void CountFork() { forks.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

std::uint64_t ForkGeneration() {
  static const int registered = pthread_atfork(nullptr, nullptr, &CountFork);
  static_cast<void>(registered);
  return forks.load(std::memory_order_relaxed);
}

OpenDatabase::OpenDatabase(std::unique_ptr<Database> database, std::shared_ptr<ManualClock> clock,
                           bool any_instant)
    : any_instant_(any_instant), clock_(std::move(clock)), database_(std::move(database)) {}

Status OpenDatabase::CheckProcess() const {
  if (generation_ == ForkGeneration()) return {};
  return Status::Invalid(
      "this database belongs to the parent process: after fork() open it anew, once the parent has "
      "closed it");
}

Status OpenDatabase::CheckOpen() const {
  if (!closed_) return {};
  return Status::Invalid("the database is closed; open it again before using it");
}

Status OpenDatabase::Close() {
  if (!CheckProcess().ok()) return {};
  const std::unique_lock gate(gate_);
  if (closed_) return {};
  {
    // Cursors come first, by rank: they must be gone before their scopes.
    const std::lock_guard registry(registry_);
    for (const auto& [rank, dependent] : open_) dependent->Shut();
    open_.clear();
  }
  const Status closed = database_->Close();
  closed_ = closed.code() != StatusCode::kBusy;
  return closed;
}

void OpenDatabase::Register(Dependent& dependent) {
  const std::lock_guard registry(registry_);
  open_.emplace(dependent.rank(), &dependent);
}

void OpenDatabase::Unregister(Dependent& dependent) {
  const std::lock_guard registry(registry_);
  open_.erase({dependent.rank(), &dependent});
}

void OpenDatabase::Release(Dependent& dependent) {
  if (!CheckProcess().ok()) return;
  const ReleasedGil released;
  const auto gate = Lock();
  std::unique_lock<std::shared_mutex> scope;
  if (dependent.scope_mutex() != nullptr) scope = std::unique_lock(*dependent.scope_mutex());
  Unregister(dependent);
  dependent.Shut();
}

Scope::Scope(std::shared_ptr<OpenDatabase> database, std::unique_ptr<Transaction> transaction)
    : Dependent(Rank::kOther),
      database_(std::move(database)),
      is_transaction_(true),
      transaction_(std::move(transaction)) {
  database_->Register(*this);
}

Scope::Scope(std::shared_ptr<OpenDatabase> database, std::unique_ptr<Snapshot> snapshot)
    : Dependent(Rank::kOther),
      database_(std::move(database)),
      is_transaction_(false),
      snapshot_(std::move(snapshot)) {
  database_->Register(*this);
}

Status Scope::CheckOpen() const {
  if (transaction_ != nullptr || snapshot_ != nullptr) return {};
  return Status::Invalid(is_transaction_ ? "the transaction is over" : "the snapshot is closed");
}

void Scope::AddCursor(Dependent& cursor) {
  const std::lock_guard lock(cursors_mutex_);
  cursors_.insert(&cursor);
}

void Scope::RemoveCursor(Dependent& cursor) {
  const std::lock_guard lock(cursors_mutex_);
  cursors_.erase(&cursor);
}

void Scope::End() {
  std::set<Dependent*> cursors;
  {
    const std::lock_guard lock(cursors_mutex_);
    cursors = cursors_;
  }
  for (Dependent* cursor : cursors) cursor->Shut();
  transaction_.reset();
  snapshot_.reset();
}

void Scope::Shut() {
  const std::unique_lock lock(mutex_);
  End();
}

}  // namespace mayfly::python
