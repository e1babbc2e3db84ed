// library_calls - makes a number of calls of one kind, and nothing else: for callgrind, which counts
// their instructions (library_instructions.py).
//   library_calls ENGINE CALL NUMBER      ENGINE: memory-first or rocks
// 10,000 rows, or items, are made first, and NUMBER more for each call that needs rows of its own, so
// that runs with different numbers differ by the calls alone as far as possible. Time stands still.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"
#include "must.h"
#include "tables_workload.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kCallRows = 10'000;
constexpr std::size_t kCallsMax = 10'000;
constexpr std::chrono::hours kFar{1};

class Calls {
 public:
  explicit Calls(StorageEngine engine)
      : database_(Must(Database::Open(
            {.directory = directory_.Inside("db"), .engine = engine, .clock = &clock_}))),
        rows_(database_->default_keyspace()) {
    for (std::size_t i = 0; i < kCallRows + 2 * kCallsMax; ++i) {
      keys_.push_back(fmt::format("key:{:012}", i * 7919 % 1'000'003));
    }
    for (std::size_t i = 0; i < kCallRows + kCallsMax; ++i) {
      clock_.Advance(Millis(1));
      const bool has_ttl = i >= kCallRows;  // Those that are put again with a ttl, or purged.
      Must(rows_.Put(keys_[i], value_, has_ttl ? Lifetime::For(kFar) : Lifetime::Forever()));
    }
  }

  void Make(std::string_view call, std::size_t count) {
    PinnedBytes found;
    if (call == "get") {
      for (std::size_t i = 0; i < count; ++i) Must(rows_.Get(keys_[Any(i)], found));
    } else if (call == "put") {
      for (std::size_t i = 0; i < count; ++i) Must(rows_.Put(keys_[Any(i)], value_));
    } else if (call == "put-new") {
      for (std::size_t i = 0; i < count; ++i)
        Must(rows_.Put(keys_[kCallRows + kCallsMax + i], value_));
    } else if (call == "put-ttl") {
      for (std::size_t i = 0; i < count; ++i) {
        clock_.Advance(Millis(1));
        Must(rows_.Put(keys_[kCallRows + i], value_, Lifetime::For(kFar)));
      }
    } else if (call == "scan") {
      const auto cursor = Must(rows_.NewCursor());
      cursor->SeekToFirst();
      for (std::size_t i = 0; i < count; ++i, cursor->Next()) {
        Must(cursor->Valid() && !cursor->value().empty(), "rows are missing");
      }
    } else if (call == "purge") {
      clock_.Advance(kFar);
      if (count == 0) return;
      const PurgeReport purged = Must(database_->Purge({.rows_max = count}));
      Must(purged.rows == count, "rows that died were not purged");
    } else {
      MakeOnItems(call, count);
    }
  }

 private:
  static std::string KeyOf(std::size_t i) {
    return fmt::format("key:{:012}", i * 7919 % 1'000'003);
  }
  static std::size_t Any(std::size_t i) { return i * 31 % kCallRows; }

  void MakeOnItems(std::string_view call, std::size_t count) {
    const auto* const found =
        std::ranges::find(kTableOperations, call.substr(std::min<std::size_t>(5, call.size())),
                          &NamedOperation::name);
    Must(call.starts_with("item-") && found != kTableOperations.end(),
         fmt::format("there is no call '{}'", call));
    const auto tables = Must(Tables::Open(*database_));
    Must(tables->CreateTable(BenchTable()));
    for (std::size_t i = 0; i < kCallRows; ++i) Do(*tables, TableOperation::kPut, i);
    for (std::size_t i = 0; i < count; ++i) Do(*tables, found->operation, Any(i));
  }

  const TemporaryDirectory directory_;
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  const std::string value_ = Random(3).Bytes(100);
  std::vector<std::string> keys_;  // In no order.
  const std::unique_ptr<Database> database_;
  Keyspace& rows_;
};

int RunCalls(const std::vector<std::string_view>& words) {
  Must(words.size() == 3 && (words[0] == "memory-first" || words[0] == "rocks"),
       "library_calls memory-first|rocks CALL NUMBER");
  std::size_t count = 0;
  std::from_chars(words[2].data(), words[2].data() + words[2].size(), count);
  Must(count <= kCallsMax, fmt::format("at most {} calls", kCallsMax));
  Calls calls(words[0] == "rocks" ? StorageEngine::kRocks : StorageEngine::kMemoryFirst);
  calls.Make(words[1], count);
  return 0;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) { return mayfly::bench::RunCalls({argv + 1, argv + argc}); }
