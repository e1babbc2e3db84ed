#include "server/databases/databases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr Bytes kOrderKey = "databases";

Result<std::shared_ptr<Keyspace>> OpenOrCreate(Database& database, const std::string& name) {
  auto opened = database.OpenKeyspace(name);
  if (opened || !opened.error().IsNotFound()) return opened;
  return database.CreateKeyspace(name);
}

// The number of "db7" and "db7.3"; -1: another name.
std::int64_t NumberIn(Bytes keyspace) {
  if (!keyspace.starts_with("db")) return -1;
  keyspace.remove_prefix(2);
  const std::size_t dot = std::min(keyspace.find('.'), keyspace.size());
  std::int64_t number = 0;
  std::int64_t copy = 0;
  if (!ReadInteger(keyspace.substr(0, dot), number) || number < 0) return -1;
  if (dot < keyspace.size() && !ReadInteger(keyspace.substr(dot + 1), copy)) return -1;
  return number;
}

// Of a full copy: which one it was; 0: of none.
std::int64_t CopyIn(Bytes name) {
  const std::size_t dot = name.find('.');
  std::int64_t copy = 0;
  if (NumberIn(name) < 0 || dot == Bytes::npos || !ReadInteger(name.substr(dot + 1), copy))
    return 0;
  return copy;
}

// "1,0,2.5": database 0 is the keyspace db1, database 2 is db2.5.
Result<std::vector<std::string>> ReadOrder(Bytes text, int count) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.push_back(fmt::format("db{}", text.substr(0, comma)));
    const std::int64_t number = NumberIn(names.back());
    if (number < 0) return Status::Corruption("the order of databases cannot be read");
    if (names.size() > static_cast<std::size_t>(count) || number >= count) {
      return Status::Invalid("databases were swapped beyond the number that is configured now");
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  while (names.size() < static_cast<std::size_t>(count)) {
    names.push_back(fmt::format("db{}", names.size()));
  }
  return names;
}

Result<std::vector<std::string>> StoredNames(Keyspace& own, int count) {
  const auto stored = own.Get(kOrderKey);
  if (!stored && !stored.error().IsNotFound()) return stored.error();
  return ReadOrder(stored ? Bytes(*stored) : Bytes(), count);
}

Status WriteOrder(core::LatchedTransaction& transaction, Keyspace& own,
                  const Databases::Mapping& mapping) {
  std::vector<std::string> order;
  for (const auto& keyspace : mapping) order.push_back(keyspace->name().substr(2));
  const std::string row = fmt::format("{}", fmt::join(order, ","));
  return transaction.In(own).Put(kOrderKey, row, Lifetime::Forever());
}

}  // namespace

Result<std::unique_ptr<Databases>> Databases::Open(Database& database, int count) {
  std::unique_ptr<Databases> databases(new Databases(database, count));
  MAYFLY_RETURN_IF_ERROR(databases->Load());
  return databases;
}

Status Databases::Load() {
  MAYFLY_TRY(own_, OpenOrCreate(database_, kServerKeyspace));
  MAYFLY_TRY(names_, StoredNames(*own_, count_));
  auto mapping = std::make_shared<Mapping>(static_cast<std::size_t>(count_));
  for (std::size_t number = 0; number < mapping->size(); ++number) {
    auto opened = database_.OpenKeyspace(names_[number]);
    if (opened) (*mapping)[number] = std::move(*opened);
    if (!opened && !opened.error().IsNotFound()) return opened.error();
  }
  mapping_ = std::move(mapping);
  return Make(0);
}

std::shared_ptr<const Databases::Mapping> Databases::mapping() const {
  const std::lock_guard lock(mutex_);
  return mapping_;
}

Status Databases::Make(int number) {
  if ((*mapping())[static_cast<std::size_t>(number)] != nullptr) return {};
  const std::lock_guard lock(making_);
  return MakeLocked(number);
}

Status Databases::MakeAll() {
  const std::lock_guard lock(making_);
  for (int number = 0; number < count_; ++number) MAYFLY_RETURN_IF_ERROR(MakeLocked(number));
  return {};
}

Status Databases::MakeLocked(int number) {
  const auto index = static_cast<std::size_t>(number);
  if ((*mapping())[index] != nullptr) return {};
  MAYFLY_TRY(auto made, OpenOrCreate(database_, names_[index]));
  const std::lock_guard lock(mutex_);
  auto fresh = std::make_shared<Mapping>(*mapping_);
  (*fresh)[index] = std::move(made);
  mapping_ = std::move(fresh);
  ++generation_;
  return {};
}

Result<std::shared_ptr<const Databases::Mapping>> Databases::Swap(
    core::LatchedTransaction& transaction, const Mapping& mapping, int a, int b) {
  auto swapped = std::make_shared<Mapping>(mapping);
  std::swap((*swapped)[static_cast<std::size_t>(a)], (*swapped)[static_cast<std::size_t>(b)]);
  MAYFLY_RETURN_IF_ERROR(WriteOrder(transaction, *own_, *swapped));
  return std::shared_ptr<const Mapping>(std::move(swapped));
}

void Databases::Install(std::shared_ptr<const Mapping> mapping) {
  const std::lock_guard lock(mutex_);
  mapping_ = std::move(mapping);
  ++generation_;
}

Result<Databases::Mapping> Databases::MakeCopy() {
  const std::lock_guard lock(making_);
  const auto installed = mapping();
  MAYFLY_TRY(const auto names, database_.ListKeyspaces());
  std::int64_t newest = 0;
  for (const std::string& name : names) {
    newest = std::max(newest, CopyIn(name));
    const auto is_this = [&](const auto& keyspace) {
      return keyspace != nullptr && keyspace->name() == name;
    };
    if (NumberIn(name) < 0 || NumberIn(name) >= count_ ||
        std::any_of(installed->begin(), installed->end(), is_this))
      continue;
    MAYFLY_RETURN_IF_ERROR(database_.DropKeyspace(name));
  }
  Mapping copy;
  for (int number = 0; number < count_; ++number) {
    MAYFLY_TRY(auto made, database_.CreateKeyspace(fmt::format("db{}.{}", number, newest + 1)));
    copy.push_back(std::move(made));
  }
  return copy;
}

Status Databases::Exchange(core::LatchedTransaction& transaction, const Mapping& copy) {
  return WriteOrder(transaction, *own_, copy);
}

void Databases::Drop(const Mapping& mapping) {
  for (const auto& keyspace : mapping) {
    // One that cannot be dropped now is dropped before the next copy.
    if (keyspace != nullptr) static_cast<void>(database_.DropKeyspace(keyspace->name()));
  }
}

Result<std::vector<std::string>> Databases::Names(Database& database, int count) {
  auto own = database.OpenKeyspace(kServerKeyspace);
  if (!own && own.error().IsNotFound()) return ReadOrder({}, count);
  MAYFLY_RETURN_IF_ERROR(own.status());
  return StoredNames(**own, count);
}

int Databases::NumberOf(const Mapping& mapping, const Keyspace* keyspace) {
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    if (mapping[i].get() == keyspace) return static_cast<int>(i);
  }
  return -1;
}

int Databases::NumberOf(const Mapping& mapping, const std::string& keyspace) {
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    if (mapping[i] != nullptr && mapping[i]->name() == keyspace) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace mayfly::server
