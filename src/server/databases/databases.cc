#include "server/databases/databases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
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

// "1,0,2": database 0 is the keyspace db1.
Result<std::vector<int>> ReadOrder(Bytes text, int count) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::size_t index = 0;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::int64_t number = 0;
    if (!ReadInteger(text.substr(0, comma), number) || number < 0) {
      return Status::Corruption("the order of databases cannot be read");
    }
    if (index >= order.size() || number >= count) {
      return Status::Invalid("databases were swapped beyond the number that is configured now");
    }
    order[index++] = static_cast<int>(number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return order;
}

}  // namespace

Result<std::unique_ptr<Databases>> Databases::Open(Database& database, int count) {
  std::unique_ptr<Databases> databases(new Databases(database, count));
  MAYFLY_RETURN_IF_ERROR(databases->Load());
  return databases;
}

Status Databases::Load() {
  MAYFLY_TRY(own_, OpenOrCreate(database_, kServerKeyspace));
  const auto stored = own_->Get(kOrderKey);
  if (!stored && !stored.error().IsNotFound()) return stored.error();
  MAYFLY_TRY(order_, ReadOrder(stored ? Bytes(*stored) : Bytes(), count_));
  auto mapping = std::make_shared<Mapping>(static_cast<std::size_t>(count_));
  for (std::size_t number = 0; number < mapping->size(); ++number) {
    auto opened = database_.OpenKeyspace(fmt::format("db{}", order_[number]));
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
  MAYFLY_TRY(auto made, OpenOrCreate(database_, fmt::format("db{}", order_[index])));
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
  std::vector<std::string> order;
  for (const auto& keyspace : *swapped) order.push_back(keyspace->name().substr(2));
  const std::string row = fmt::format("{}", fmt::join(order, ","));
  MAYFLY_RETURN_IF_ERROR(transaction.In(*own_).Put(kOrderKey, row, Lifetime::Forever()));
  return std::shared_ptr<const Mapping>(std::move(swapped));
}

void Databases::Install(std::shared_ptr<const Mapping> mapping) {
  const std::lock_guard lock(mutex_);
  mapping_ = std::move(mapping);
  ++generation_;
}

int Databases::NumberOf(const Mapping& mapping, const Keyspace* keyspace) {
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    if (mapping[i].get() == keyspace) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace mayfly::server
