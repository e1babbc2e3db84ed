#include "tests/engine/rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"

namespace mayfly::engine::suite {
namespace {

// A cursor that never ends is reported instead of waited for.
constexpr std::size_t kScanKeysMax = 1'000'000;

void ExpectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.ToString(); }

// The value, or `otherwise` after a failure.
template <typename T>
T ValueOr(Result<T> result, T otherwise) {
  ExpectOk(result.status());
  return result ? *std::move(result) : std::move(otherwise);
}

}  // namespace

Rig::Rig(const EngineKind& kind) : home_(kind.new_home()), engine_(home_->Open(nullptr)) {}

void Rig::Reopen(std::shared_ptr<const DropPolicy> policy) {
  ExpectOk(engine_->Close());
  engine_.reset();
  engine_ = home_->Open(std::move(policy));
}

void Rig::Wrap(const Wrapper& wrapper) { engine_ = wrapper(std::move(engine_)); }

void Rig::Put(Address at, Bytes key, Bytes value) {
  Batch batch;
  batch.Put(at, key, value);
  Commit(batch);
}

void Rig::Delete(Address at, Bytes key) {
  Batch batch;
  batch.Delete(at, key);
  Commit(batch);
}

void Rig::DeleteRange(Address at, Bytes begin, Bytes end) {
  Batch batch;
  batch.DeleteRange(at, begin, end);
  Commit(batch);
}

void Rig::Commit(const Batch& batch, Durability durability) {
  ExpectOk(engine_->Commit(batch, durability));
}

void Rig::Compact(Role role, const KeyRange& range) { ExpectOk(engine_->Compact(role, range)); }

void Rig::Flush() { ExpectOk(engine_->Flush()); }

bool Rig::CompactFile(Role role, const std::string& name) {
  return ValueOr(engine_->CompactFile(role, name), false);
}

bool Rig::DropFile(Role role, const std::string& name) {
  return ValueOr(engine_->DropFile(role, name), false);
}

std::vector<FileInfo> Rig::Files(Role role) { return ValueOr(engine_->Files(role), {}); }

std::vector<Trace> Rig::Find(Bytes needle) { return ValueOr(engine_->Find(needle), {}); }

std::optional<std::string> Rig::Get(Address at, Bytes key, const Snapshot* snapshot) {
  PinnedBytes value;
  const Status status = engine_->Get(at, key, value, snapshot);
  if (status.IsNotFound()) return std::nullopt;
  ExpectOk(status);
  return std::string(value.view());
}

std::unique_ptr<Snapshot> Rig::NewSnapshot() {
  auto snapshot = engine_->NewSnapshot();
  MAYFLY_CHECK(snapshot.has_value(), snapshot.status().ToString().c_str());
  return *std::move(snapshot);
}

std::unique_ptr<Cursor> Rig::NewCursor(Address at, const CursorOptions& options) {
  auto cursor = engine_->NewCursor(at, options);
  MAYFLY_CHECK(cursor.has_value(), cursor.status().ToString().c_str());
  return *std::move(cursor);
}

Pairs Rig::Scan(Address at, const CursorOptions& options) {
  const auto cursor = NewCursor(at, options);
  Pairs pairs;
  for (cursor->SeekToFirst(); cursor->Valid() && pairs.size() < kScanKeysMax; cursor->Next()) {
    pairs.emplace_back(cursor->key(), cursor->value());
  }
  EXPECT_LT(pairs.size(), kScanKeysMax);
  ExpectOk(cursor->status());
  return pairs;
}

Pairs Rig::ScanBack(Address at, const CursorOptions& options) {
  const auto cursor = NewCursor(at, options);
  Pairs pairs;
  for (cursor->SeekToLast(); cursor->Valid() && pairs.size() < kScanKeysMax; cursor->Prev()) {
    pairs.emplace_back(cursor->key(), cursor->value());
  }
  EXPECT_LT(pairs.size(), kScanKeysMax);
  ExpectOk(cursor->status());
  return pairs;
}

Keys Rig::ScanKeys(Address at, const CursorOptions& options) {
  Keys keys;
  for (auto& [key, value] : Scan(at, options)) keys.push_back(std::move(key));
  return keys;
}

std::string KeyAt(const Cursor& cursor) {
  if (cursor.Valid()) return std::string(cursor.key());
  ExpectOk(cursor.status());
  return "(end)";
}

std::string ValueAt(const Cursor& cursor) {
  return cursor.Valid() ? std::string(cursor.value()) : "(end)";
}

std::string NumberedKey(std::size_t number) { return fmt::format("k{:05}", number); }

}  // namespace mayfly::engine::suite
