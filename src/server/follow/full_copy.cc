#include "server/follow/full_copy.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "core/transactions/latched_transaction.h"
#include "rdb/rdb_reader.h"
#include "server/commands/keys/dump_rows.h"
#include "server/dump/rows_of_file.h"
#include "server/functions/library_rows.h"
#include "server/functions/library_text.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kBatchRows = 500;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

// Writes rows to the keyspaces of a copy, many in one transaction.
class RowsOfCopy final : public RowsOfFile {
 public:
  RowsOfCopy(Server& server, const Databases::Mapping& copy, WallTime judged_at)
      : server_(server), copy_(copy), judged_at_(judged_at) {}

  Status Flush() {
    if (batch_.empty()) return {};
    core::KeySet keys;
    keys.judged_at = judged_at_;
    keys.memory = memory_.get();
    for (const Waiting& row : batch_) keys.keys.push_back({row.keyspace, row.key});
    MAYFLY_TRY(const auto transaction, server_.transactions().Begin(keys));
    for (const Waiting& row : batch_) MAYFLY_RETURN_IF_ERROR(Write(*transaction, row));
    batch_.clear();
    bytes_ = 0;
    return transaction->Commit();
  }

  int stream_database() const { return stream_database_; }
  const LibraryTexts& libraries() const { return libraries_; }

 private:
  struct Waiting {
    const Keyspace* keyspace;
    std::string key;
    DumpedValue value;
    bool first;
    std::optional<WallTime> deadline;  // Given with the last part.
  };

  Status Take(RowPart part) override {
    const auto number = static_cast<std::size_t>(part.key.database);
    if (number >= copy_.size()) {
      return Status::Invalid(fmt::format(
          "the leader has a database {}, and here are {}; raise the setting `databases`", number,
          copy_.size()));
    }
    bytes_ += bytes() + part.key.name.size();
    batch_.push_back({copy_[number].get(), part.key.name, std::move(part.value), part.first,
                      part.last ? part.key.deadline : std::nullopt});
    return batch_.size() >= kBatchRows || bytes_ >= kBatchBytes ? Flush() : Status();
  }

  Status Write(core::LatchedTransaction& transaction, const Waiting& row) const {
    core::TransactionKeyspace& space = transaction.In(*row.keyspace);
    MAYFLY_RETURN_IF_ERROR(row.first ? WriteRows(space, row.key, row.value, judged_at_)
                                     : ExtendRows(space, row.key, row.value, judged_at_));
    if (!row.deadline) return {};
    const Status given = space.Expire(row.key, Lifetime::Until(*row.deadline)).status();
    return given.IsNotFound() ? Status() : given;  // All fields of a hash are dead.
  }

  Status Aux(const std::string& name, const std::string& value) override {
    std::int64_t number = 0;
    if (name == "repl-stream-db" && ReadInteger(value, number) && number >= 0) {
      stream_database_ = static_cast<int>(number);
    }
    return {};
  }

  Status Function(const std::string& text) override {
    const auto parsed = ParseLibraryText(text);
    if (!parsed) return RowsOfFile::Function(text);
    libraries_.insert_or_assign(parsed->name, text);
    return {};
  }

  Server& server_;
  const Databases::Mapping& copy_;
  const WallTime judged_at_;
  LibraryTexts libraries_;
  const std::unique_ptr<core::TransactionMemory> memory_ = core::NewTransactionMemory();
  std::vector<Waiting> batch_;
  std::size_t bytes_ = 0;
  int stream_database_ = 0;
};

Status CheckMark(rdb::Input& in, const std::string& mark) {
  std::string end;
  if (!in.Raw(mark.size(), end)) return in.status();
  if (end == mark) return {};
  return Status::Corruption(fmt::format("offset {}: the copy has no end mark", in.offset()));
}

// The one moment at which the copy becomes visible.
Status Install(Server& server, const Databases::Mapping& copy, const LibraryTexts& libraries,
               const FollowPosition& position) {
  Databases& databases = server.databases();
  MAYFLY_RETURN_IF_ERROR(databases.MakeAll());
  const auto old = databases.mapping();
  {
    core::KeySet everything;
    everything.everything = true;
    MAYFLY_TRY(const auto transaction, server.transactions().Begin(everything));
    MAYFLY_RETURN_IF_ERROR(databases.Exchange(*transaction, copy));
    core::TransactionKeyspace& own = transaction->In(databases.own());
    MAYFLY_RETURN_IF_ERROR(own.Put(kPositionKey, EncodePosition(position), Lifetime::Forever()));
    Random random(FreshSeed());
    MAYFLY_RETURN_IF_ERROR(WriteLibraries(own, libraries, random).status());
    for (int number = 0; number < databases.count(); ++number) {
      server.watches().TouchIf(number, [](const Watch&) { return true; });
    }
    // The followers of this server have to take a copy, too.
    core::ListenToDeaths(server.database(), nullptr);
    server.feed().Stop();
    MAYFLY_RETURN_IF_ERROR(transaction->Commit());
    databases.Install(std::make_shared<const Databases::Mapping>(copy));
  }
  server.tracking().EverythingChanged();
  databases.Drop(*old);
  if (const Status wanted = server.NotifyOfDeaths(); !wanted.ok()) {
    Log(server.logger(), LogLevel::kWarning, "no notifications of deaths: {}", wanted.message());
  }
  return {};
}

}  // namespace

Result<CopyOutcome> TakeFullCopy(Server& server, rdb::ByteSource& source, const std::string& mark,
                                 FollowPosition position, std::string& rest) {
  MAYFLY_TRY(const Databases::Mapping copy, server.databases().MakeCopy());
  // The leader decides when its rows are dead.
  for (const auto& keyspace : copy) core::HoldPurges(server.database(), *keyspace, true);
  rdb::Input in(source, rdb::kElementBudget);
  RowsOfCopy rows(server, copy, position.judged_at);
  Status taken = rdb::ReadRdb(in, rows);
  if (taken.ok()) taken = rows.Flush();
  if (taken.ok() && !mark.empty()) taken = CheckMark(in, mark);
  if (taken.ok()) {
    rest = in.rest();
    position.database = rows.stream_database();
    taken = Install(server, copy, rows.libraries(), position);
  }
  if (!taken.ok() && *server.databases().mapping() != copy) server.databases().Drop(copy);
  MAYFLY_RETURN_IF_ERROR(taken);
  return CopyOutcome{rows.LeftOutText(), rows.stream_database()};
}

}  // namespace mayfly::server
