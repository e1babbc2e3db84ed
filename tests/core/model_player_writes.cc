#include <fmt/format.h>

#include "tests/core/model_player.h"

namespace mayfly::core::suite {
namespace {

constexpr std::size_t kTransactionsMax = 3;

}  // namespace

void ModelPlayer::Write() {
  const std::string keyspace = inputs_.ExistingKeyspace();
  const ModelKeyspace& here = model_.keyspaces.at(keyspace);
  const WriteCall call = inputs_.Write(here.stored, here.policy);
  Record(fmt::format("{}: {}", keyspace, Describe(call)));
  const WriteAnswer found = Perform(call, Handle(keyspace));
  const WriteAnswer expected = model_.Write(keyspace, call);
  ExpectSame("the write", Describe(found), Describe(expected));
}

// More rows that die together than one purge batch takes.
void ModelPlayer::WriteBurst() {
  const std::string keyspace = inputs_.ExistingKeyspace();
  const Lifetime lifetime = inputs_.AnyLifetime();
  const std::uint64_t rows = random_.Between(70, 150);
  Record(fmt::format("{}: a burst of {} rows, {}", keyspace, rows, Describe(lifetime)));
  for (std::uint64_t i = 0; i < rows && !differs(); ++i) {
    const WriteCall call{.key = fmt::format("burst{}", i), .value = "value", .lifetime = lifetime};
    const WriteAnswer found = Perform(call, Handle(keyspace));
    ExpectSame("the write", Describe(found), Describe(model_.Write(keyspace, call)));
  }
}

void ModelPlayer::Begin() {
  if (transactions_.size() == kTransactionsMax) return;
  Record(fmt::format("begin transaction {}", transactions_.size()));
  auto begun = database_->Begin();
  if (!begun) return Differ("it did not begin: " + begun.status().ToString());
  ExpectSame("the transaction's instant", ToMs((*begun)->now()), ToMs(model_.now));
  transactions_.push_back({*std::move(begun), ModelTransaction(model_)});
}

void ModelPlayer::WriteInTransaction() {
  if (transactions_.empty()) return;
  const std::size_t i = random_.Below(transactions_.size());
  OpenTransaction& open = transactions_[i];
  const std::string name = inputs_.ExistingKeyspace();
  const ModelKeyspace& keyspace = model_.keyspaces.at(name);
  const WriteCall call = inputs_.Write(open.model.View(keyspace.id), keyspace.policy);
  Record(fmt::format("transaction {}, {}: {}", i, name, Describe(call)));
  const WriteAnswer found = Perform(call, open.real->In(Handle(name)));
  ExpectSame("the write", Describe(found), Describe(open.model.Write(keyspace, call)));
}

void ModelPlayer::SetSavepoint() {
  if (transactions_.empty()) return;
  const std::size_t i = random_.Below(transactions_.size());
  Record(fmt::format("transaction {}: savepoint", i));
  ExpectCode("the savepoint", transactions_[i].real->SetSavepoint(), StatusCode::kOk);
  transactions_[i].model.SetSavepoint();
}

void ModelPlayer::RollbackToSavepoint() {
  if (transactions_.empty()) return;
  const std::size_t i = random_.Below(transactions_.size());
  Record(fmt::format("transaction {}: roll back to savepoint", i));
  ExpectCode("the roll back", transactions_[i].real->RollbackToSavepoint(),
             transactions_[i].model.RollbackToSavepoint());
}

void ModelPlayer::Commit() {
  if (transactions_.empty()) return;
  const std::size_t i = random_.Below(transactions_.size());
  OpenTransaction open = std::move(transactions_[i]);
  transactions_.erase(transactions_.begin() + static_cast<std::ptrdiff_t>(i));
  Record(fmt::format("transaction {}: commit", i));
  ExpectCode("the commit", open.real->Commit(), open.model.Commit(model_));
  ExpectOver(open);
}

void ModelPlayer::Rollback() {
  if (transactions_.empty()) return;
  const std::size_t i = random_.Below(transactions_.size());
  OpenTransaction open = std::move(transactions_[i]);
  transactions_.erase(transactions_.begin() + static_cast<std::ptrdiff_t>(i));
  Record(fmt::format("transaction {}: roll back", i));
  if (random_.OneIn(2)) return;  // Its destructor does the same.
  open.real->Rollback();
  ExpectOver(open);
}

void ModelPlayer::ExpectOver(OpenTransaction& over) {
  ExpectCode("a commit after the end", over.real->Commit(), StatusCode::kInvalid);
  ExpectCode("a read after the end", over.real->In(Handle("default")).Get("a").status(),
             StatusCode::kInvalid);
}

}  // namespace mayfly::core::suite
