// handles.h - the structs behind the C ABI's opaque types.
// All handles share the database, so that they may be released in any order. A keyspace,
// transaction or snapshot owns its views; a cursor shares that owner, which so stays until the
// cursor closes.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "capi/callbacks.h"
#include "capi/guard.h"
#include "mayfly/database.h"

namespace mayfly::capi {

// A database and the options that must outlive it.
struct SharedDatabase {
  std::optional<CallbackClock> clock;
  std::optional<CallbackLogger> logger;
  Durability durability = Durability::kProcess;
  std::unique_ptr<Database> database;  // Last: it uses the others.
};

struct ViewOwner;

}  // namespace mayfly::capi

struct mayfly_view {
  mayfly::capi::ViewOwner* owner;  // Owns this view.
  const mayfly::KeyspaceReader* reader;
  mayfly::KeyspaceWriter* writer;  // Null in a snapshot.
};

namespace mayfly::capi {

struct ViewOwner : std::enable_shared_from_this<ViewOwner> {
  explicit ViewOwner(std::shared_ptr<SharedDatabase> from) : shared(std::move(from)) {}
  virtual ~ViewOwner() = default;
  ViewOwner(const ViewOwner&) = delete;
  ViewOwner& operator=(const ViewOwner&) = delete;

  // The view over this reader; the same one each time.
  mayfly_view* ViewOf(const KeyspaceReader& reader, KeyspaceWriter* writer);

  const std::shared_ptr<SharedDatabase> shared;  // With all handles of the database.
  std::atomic<std::uint64_t> open_cursors{0};

 private:
  std::mutex mutex_;
  std::map<const KeyspaceReader*, mayfly_view> views_;  // Guarded by mutex_.
};

struct KeyspaceOwner final : ViewOwner {
  KeyspaceOwner(std::shared_ptr<SharedDatabase> from, std::shared_ptr<Keyspace> of)
      : ViewOwner(std::move(from)), keyspace(std::move(of)) {}

  const std::shared_ptr<Keyspace> keyspace;
};

struct TransactionOwner final : ViewOwner {
  TransactionOwner(std::shared_ptr<SharedDatabase> from, std::unique_ptr<Transaction> of)
      : ViewOwner(std::move(from)), transaction(std::move(of)) {}

  const std::unique_ptr<Transaction> transaction;
  bool over = false;
};

struct SnapshotOwner final : ViewOwner {
  SnapshotOwner(std::shared_ptr<SharedDatabase> from, std::unique_ptr<Snapshot> of)
      : ViewOwner(std::move(from)), snapshot(std::move(of)) {}

  const std::unique_ptr<Snapshot> snapshot;
};

// Invalid unless both belong to the same database.
Status CheckSameDatabase(const ViewOwner& owner, const mayfly_keyspace& keyspace);

Result<Durability> ToDurability(int durability, Durability otherwise);
Result<Lifetime> ToLifetime(mayfly_lifetime lifetime);

// The handle as it is returned to the caller.
template <typename Handle>
Handle* NewHandle(Handle handle) {
  return std::make_unique<Handle>(std::move(handle)).release();
}

// MAYFLY_FOREVER without a deadline.
std::int64_t ToDeadlineMs(const std::optional<WallTime>& deadline);

}  // namespace mayfly::capi

struct mayfly_database {
  std::shared_ptr<mayfly::capi::SharedDatabase> shared;

  mayfly::Database& operator*() const { return *shared->database; }
  mayfly::Database* operator->() const { return shared->database.get(); }
};

struct mayfly_keyspace {
  std::shared_ptr<mayfly::capi::KeyspaceOwner> owner;

  mayfly::Keyspace& operator*() const { return *owner->keyspace; }
  mayfly::Keyspace* operator->() const { return owner->keyspace.get(); }
};

struct mayfly_transaction {
  std::shared_ptr<mayfly::capi::TransactionOwner> owner;
};

struct mayfly_snapshot {
  std::shared_ptr<mayfly::capi::SnapshotOwner> owner;
};

struct mayfly_cursor {
  explicit mayfly_cursor(std::shared_ptr<mayfly::capi::ViewOwner> of) : owner(std::move(of)) {
    ++owner->open_cursors;
  }
  ~mayfly_cursor() {
    cursor.reset();
    --owner->open_cursors;
  }
  mayfly_cursor(const mayfly_cursor&) = delete;
  mayfly_cursor& operator=(const mayfly_cursor&) = delete;

  const std::shared_ptr<mayfly::capi::ViewOwner> owner;  // Shared with the handle of its view.
  std::unique_ptr<mayfly::Cursor> cursor;
};

struct mayfly_reaper {
  std::shared_ptr<mayfly::capi::SharedDatabase> shared;
  std::unique_ptr<mayfly::Reaper> reaper;
};

struct mayfly_subscription {
  std::shared_ptr<mayfly::capi::SharedDatabase> shared;
  std::unique_ptr<mayfly::EventSubscription> subscription;
};
