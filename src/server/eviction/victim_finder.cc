#include "server/eviction/victim_finder.h"

#include <algorithm>
#include <utility>

#include "server/command/limits.h"
#include "server/databases/database_key.h"

namespace mayfly::server {
namespace {

// Of a collection nothing: its members would have to be read.
std::optional<std::uint64_t> BytesOf(const Keyspace& keyspace, const std::string& key) {
  PinnedBytes value;
  if (!keyspace.Get(key, value).ok()) return std::nullopt;
  return key.size() + value.view().size();
}

}  // namespace

void WorthHistogram::Add(std::uint8_t worth) {
  ++counts_[worth];
  if (++total_ < kTotalMax) return;
  total_ = 0;
  for (std::uint32_t& count : counts_) total_ += count /= 2;
}

bool WorthHistogram::IsAmongBest(std::uint8_t worth, std::uint64_t n) const {
  std::uint64_t better = 0;
  for (std::size_t i = std::size_t{worth} + 1; i < counts_.size(); ++i) better += counts_[i];
  return better * n < std::max<std::uint64_t>(total_, 1);
}

// What one walk has found so far.
struct VictimFinder::Search {
  std::vector<Victim> victims;
  std::uint64_t bytes = 0;
  bool unknown_bytes = false;
  std::uint64_t passed = 0;
  std::optional<Victim> best;  // In case none is good enough.
  std::uint8_t best_worth = 0;

  void Take(int database, const Passed& row) {
    victims.push_back({database, row.key, std::nullopt});
    unknown_bytes = unknown_bytes || !row.bytes;
    bytes += row.bytes.value_or(0);
  }
  bool IsEnough(const Wanted& wanted) const {
    return victims.size() >= kVictimsMax || bytes >= wanted.bytes || unknown_bytes;
  }
};

Result<std::vector<Victim>> VictimFinder::Find(const Databases::Mapping& databases,
                                               const Wanted& wanted) {
  if (wanted.policy == EvictionPolicy::kNoEviction) return std::vector<Victim>();
  return wanted.policy == EvictionPolicy::kVolatileTtl ? FirstToDie(databases, wanted)
                                                       : Walk(databases, wanted);
}

Result<std::vector<Victim>> VictimFinder::FirstToDie(const Databases::Mapping& databases,
                                                     const Wanted& wanted) {
  std::vector<Victim> due;
  for (std::size_t number = 0; number < databases.size(); ++number) {
    if (databases[number] == nullptr) continue;
    MAYFLY_TRY(auto entries, databases[number]->ScanDeadlines({.rows_max = kVictimsMax}));
    for (DeadlineEntry& entry : entries) {
      due.push_back({static_cast<int>(number), std::move(entry.key), entry.deadline});
    }
  }
  std::stable_sort(due.begin(), due.end(),
                   [](const Victim& a, const Victim& b) { return *a.deadline < *b.deadline; });
  std::uint64_t bytes = 0;
  std::size_t taken = 0;
  while (taken < std::min(due.size(), kVictimsMax) && bytes < wanted.bytes) {
    const Victim& victim = due[taken++];
    const auto of_row = BytesOf(*databases[static_cast<std::size_t>(victim.database)], victim.key);
    if (!of_row) break;
    bytes += *of_row;
  }
  due.resize(taken);
  return due;
}

Result<std::vector<Victim>> VictimFinder::Walk(const Databases::Mapping& databases,
                                               const Wanted& wanted) {
  Search search;
  const std::uint64_t passed_max = kRowsPassedMax * std::max<std::uint64_t>(wanted.samples, 1);
  while (!search.IsEnough(wanted) && search.passed < passed_max) {
    if (page_.next == page_.rows.size() || page_.of_index != IsVolatile(wanted.policy)) {
      MAYFLY_TRY(const bool turned, TurnPage(databases, wanted));
      if (!turned) break;
    }
    Passed& row = page_.rows[page_.next++];
    ++search.passed;
    std::uint8_t worth = 0;
    if (Takes(row, wanted, worth)) {
      const auto& keyspace = databases[static_cast<std::size_t>(page_.database)];
      if (page_.of_index && keyspace != nullptr) row.bytes = BytesOf(*keyspace, row.key);
      search.Take(page_.database, row);
    } else if (!search.best || worth > search.best_worth) {
      search.best = Victim{page_.database, row.key, std::nullopt};
      search.best_worth = worth;
    }
  }
  if (search.victims.empty() && search.best) search.victims.push_back(*std::move(search.best));
  return std::move(search.victims);
}

Result<bool> VictimFinder::TurnPage(const Databases::Mapping& databases, const Wanted& wanted) {
  page_.rows.clear();
  page_.next = 0;
  page_.of_index = IsVolatile(wanted.policy);
  // Each database once, and the one the hand stands in from its beginning, too.
  for (std::size_t ended = 0; ended <= databases.size(); ++ended) {
    database_ %= databases.size();
    if (const auto& keyspace = databases[database_]; keyspace != nullptr) {
      page_.database = static_cast<int>(database_);
      MAYFLY_TRY(page_.rows, page_.of_index ? EntriesFromHand(*keyspace) : RowsFromHand(*keyspace));
    }
    if (!page_.rows.empty()) {
      const Passed& last = page_.rows.back();
      row_ = last.key;
      if (last.deadline) entry_ = DeadlineEntry{last.key, *last.deadline};
      for (const Passed& row : page_.rows) worths_.Add(WorthOf(row, wanted));
      return true;
    }
    NextDatabase(databases.size());
  }
  return false;
}

Result<std::vector<VictimFinder::Passed>> VictimFinder::RowsFromHand(const Keyspace& keyspace) {
  std::vector<Passed> rows;
  const std::string begin = row_.empty() ? std::string() : row_ + '\0';
  MAYFLY_TRY(const auto cursor, keyspace.NewCursor({.begin = begin}));
  for (cursor->SeekToFirst(); cursor->Valid() && rows.size() < kHandPageRows; cursor->Next()) {
    const Bytes key = cursor->key();
    const auto bytes = cursor->is_collection()
                           ? std::nullopt
                           : std::optional<std::uint64_t>(key.size() + cursor->value().size());
    rows.push_back({std::string(key), cursor->deadline(), bytes});
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return rows;
}

Result<std::vector<VictimFinder::Passed>> VictimFinder::EntriesFromHand(
    const Keyspace& keyspace) const {
  MAYFLY_TRY(auto entries, keyspace.ScanDeadlines({.rows_max = kHandPageRows, .after = entry_}));
  std::vector<Passed> rows;
  for (DeadlineEntry& entry : entries) {
    rows.push_back({std::move(entry.key), entry.deadline, std::nullopt});
  }
  return rows;
}

std::uint8_t VictimFinder::WorthOf(const Passed& row, const Wanted& wanted) const {
  if (wanted.accesses == nullptr) return 0;
  return wanted.accesses->Worth(DatabaseKeyHash()(DatabaseKeyView{page_.database, row.key}),
                                wanted.pace);
}

bool VictimFinder::Takes(const Passed& row, const Wanted& wanted, std::uint8_t& worth) {
  constexpr std::uint64_t kOneIn = 4;
  if (wanted.accesses == nullptr) return random_.Below(kOneIn) == 0;
  worth = WorthOf(row, wanted);
  return worths_.IsAmongBest(worth, std::max<std::uint64_t>(wanted.samples, 1));
}

void VictimFinder::NextDatabase(std::size_t databases) {
  database_ = (database_ + 1) % databases;
  row_.clear();
  entry_.reset();
}

}  // namespace mayfly::server
