#include "capi/kvstore_store.h"

namespace mayfly::kvstore {

Store::Store(StoreOptions asked, std::optional<NameFile> file, std::unique_ptr<Database> opened,
             crypto::Secret with)
    : options(asked),
      database(std::move(opened)),
      password(std::move(with)),
      file_(std::move(file)) {}

Status Store::Suspend() {
  {
    const std::lock_guard lock(iterators_mutex);
    for (KVIterator* const iterator : iterators) iterator->Park();
  }
  Status closed = database->Close();
  if (closed.code() == StatusCode::kBusy) return closed;  // After other errors it is closed.
  database.reset();
  return closed;
}

Status Store::Resume(std::unique_ptr<Database> opened) {
  const std::lock_guard lock(families_mutex_);
  for (const auto& [name, family] : families_) {
    MAYFLY_TRY(family->keyspace, opened->OpenKeyspace(name));
  }
  database = std::move(opened);
  return {};
}

Status Store::Close() {
  if (!owner_.IsThis()) return {};
  const std::lock_guard alone(gate);
  if (!is_suspended()) MAYFLY_RETURN_IF_ERROR(CheckOpen());
  {
    const std::lock_guard lock(iterators_mutex);
    for (KVIterator* const iterator : iterators) {
      iterator->Park();
      iterator->at_end = true;
    }
  }
  EndTransaction(false);
  {
    const std::lock_guard lock(families_mutex_);
    for (const auto& [name, family] : families_) family->keyspace.reset();
    families_.clear();
  }
  Status closed = database != nullptr ? database->Close() : Status();
  database.reset();
  file_.reset();
  password.Clear();
  return closed;
}

std::shared_ptr<Family> Store::FamilyOf(std::shared_ptr<Keyspace> keyspace) {
  const std::lock_guard lock(families_mutex_);
  auto& family = families_[keyspace->name()];
  if (family == nullptr) family = std::make_shared<Family>(std::move(keyspace));
  return family;
}

void Store::ForgetFamily(const std::string& name) {
  const std::lock_guard lock(families_mutex_);
  families_.erase(name);
}

Status Store::CheckOpen() const {
  if (database != nullptr) [[likely]]
    return {};
  return Status::Invalid("the store is closed; open it again");
}

Status Store::CheckWritable() const {
  if (options.read_only) {
    return Status::ReadOnly("the store is open read-only; open it for writing to change it");
  }
  if (snapshot != nullptr) {
    return Status::ReadOnly("the transaction only reads; begin one that writes");
  }
  return {};
}

const KeyspaceReader& Store::ReaderOf(const Family& family) const {
  if (transaction != nullptr) return transaction->In(*family.keyspace);
  if (snapshot != nullptr) return snapshot->In(*family.keyspace);
  return *family.keyspace;
}

KeyspaceWriter& Store::WriterOf(Family& family) {
  if (transaction != nullptr) return transaction->In(*family.keyspace);
  return *family.keyspace;
}

WallTime Store::now() const {
  if (transaction != nullptr) return transaction->now();
  if (snapshot != nullptr) return snapshot->now();
  return database->clock_report().now;
}

void Store::Wrote(const std::shared_ptr<Family>& family, Bytes key, bool born_dead) {
  if (transaction != nullptr) {
    if (born_dead || !births.empty() || !family->born_dead.empty()) {
      births.push_back({family, std::string(key), born_dead});
    }
  } else if (born_dead) {
    family->born_dead.Add(key);
  } else {
    family->born_dead.Forget(key);
  }
}

void Store::Missed(Family& family, Bytes key) {
  if (!in_transaction() && family.born_dead.Forget(key)) ++counts.born_dead_met;
}

Status Store::Committed() {
  const std::uint64_t commits = ++counts.commits;
  if (options.checkpoint_commits == 0 || commits % options.checkpoint_commits != 0) return {};
  ++counts.checkpoints;
  return database->Sync(Durability::kDisk);
}

void Store::EndTransaction(bool committed) {
  {
    const std::lock_guard lock(iterators_mutex);
    for (KVIterator* const iterator : iterators) {
      if (iterator->of_transaction) iterator->Park();
    }
  }
  transaction.reset();
  snapshot.reset();
  const std::vector<Birth> told = std::move(births);
  births.clear();
  if (!committed) return;
  for (const Birth& birth : told) Wrote(birth.family, birth.key, birth.dead);
}

void Store::SetMessage(std::string_view message) {
  if (!owner_.IsThis()) return;
  const std::lock_guard lock(message_mutex_);
  message_ = message;
}

std::string Store::message() const {
  if (!owner_.IsThis()) return std::string(OwnerProcess::Refusal().message());
  const std::lock_guard lock(message_mutex_);
  return message_;
}

}  // namespace mayfly::kvstore

void KVIterator::Park() {
  if (cursor == nullptr) return;
  if (cursor->Valid()) {
    if (!key) key.emplace(cursor->key());
    if (!value) value.emplace(cursor->value());
  }
  cursor.reset();
  of_transaction = false;
}
