#include "apps/mayfly/target/directory_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/mayfly/target/key_file.h"
#include "apps/mayfly/target/new_folder.h"
#include "base/line_logger.h"
#include "base/printable.h"
#include "base/random.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/logger.h"
#include "mayfly/types.h"
#include "server/commands/keys/dump_rows.h"
#include "server/databases/databases.h"
#include "server/functions/library_rows.h"
#include "server/scripting/script_engine.h"

namespace mayfly::app {
namespace {

constexpr const char* kLibrarys = "default";

// In place of the names of options in code, those of flags.
Status InFlags(const Status& status, const TargetFlags& flags, Access access) {
  if (status.code() == StatusCode::kBusy && access == Access::kWrite) {
    return Status::Busy(fmt::format(
        "{} is open in another process. If a server has it, name the server: --url redis://HOST",
        flags.target));
  }
  if (status.IsNotFound() && flags.offers_create) {
    return Status::NotFound(fmt::format("{}, or make one with --create", status.message()));
  }
  return status;
}

// Numbered databases that a folder with these keyspaces may have.
int AnyNumber(const std::vector<std::string>& keyspaces) {
  return std::max(static_cast<int>(keyspaces.size()), server::kUsualDatabases);
}

// The least key behind all with this prefix; empty: there is none.
std::string EndOf(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

class DirectoryTarget final : public Target {
 public:
  static Result<std::unique_ptr<Target>> Open(const TargetFlags& flags, Access access) {
    std::unique_ptr<DirectoryTarget> target(
        new DirectoryTarget(flags.target, access == Access::kWrite));
    const bool creates = flags.create && access == Access::kWrite;
    if (creates) target->folder_.emplace(flags.target);
    MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
    auto opened = Database::Open({.directory = flags.target,
                                  .read_only = access == Access::kRead,
                                  .create_if_missing = creates,
                                  .password = password.view(),
                                  .allow_any_instant = flags.any_instant,
                                  .logger = target->logger_.get()});
    if (!opened) {
      // Another process may have made it at the same moment.
      if (opened.error().code() == StatusCode::kBusy) target->Keep();
      return InFlags(opened.error(), flags, access);
    }
    target->database_ = *std::move(opened);
    MAYFLY_RETURN_IF_ERROR(target->OpenKeyspace(flags));
    return std::unique_ptr<Target>(std::move(target));
  }

  ~DirectoryTarget() override {
    if (!made_keyspace_.empty()) {
      named_.reset();
      static_cast<void>(database_->DropKeyspace(made_keyspace_));
    }
    // Another process may have made and filled it after the look and before the opening.
    if (folder_ && database_ && HasRows()) folder_->Keep();
    database_.reset();  // Before its folder.
  }

  void Keep() override {
    made_keyspace_.clear();
    if (folder_) folder_->Keep();
  }

  std::string name() const override { return directory_; }
  std::string keyspace() const override { return rows_->name(); }

  Result<TargetRow> Get(Bytes key) override {
    MAYFLY_TRY(Row row, rows_->GetRow(key));
    return TargetRow{
        .key = std::string(key), .value = std::move(row.value), .deadline = row.deadline};
  }

  Status Put(Bytes key, Bytes value, Lifetime lifetime) override {
    return rows_->Put(key, value, lifetime);
  }

  Status PutAll(const std::vector<TargetRow>& rows) override {
    return database_->Transact([&](Transaction& transaction) -> Status {
      KeyspaceWriter& inside = transaction.In(*rows_);
      for (const TargetRow& row : rows) {
        MAYFLY_RETURN_IF_ERROR(inside.Put(row.key, row.value, row.lifetime()));
      }
      return {};
    });
  }

  Result<std::uint64_t> Import(const std::vector<TargetRow>& rows) override {
    std::uint64_t living = 0;
    MAYFLY_RETURN_IF_ERROR(database_->Transact([&](Transaction& transaction) -> Status {
      living = 0;
      for (const TargetRow& row : rows) {
        MAYFLY_RETURN_IF_ERROR(WriteWhole(transaction, row));
        MAYFLY_TRY(const bool lives, transaction.In(*rows_).Exists(row.key));
        living += lives ? 1 : 0;
      }
      return {};
    }));
    return living;
  }

  Status Extend(const TargetRow& row) override {
    return database_->Transact([&](Transaction& transaction) -> Status {
      return server::ExtendRows(core::SpaceOf(transaction, *rows_), row.key, *row.collection,
                                transaction.now());
    });
  }

  Result<bool> Delete(Bytes key) override { return rows_->Delete(key); }

  Status Expire(Bytes key, Lifetime lifetime) override {
    return rows_->Expire(key, lifetime).status();
  }

  Result<Millis> Ttl(Bytes key) override { return rows_->Ttl(key); }

  Result<std::uint64_t> Count(Bytes prefix) override {
    if (prefix.empty()) return rows_->Count();
    std::uint64_t count = 0;
    MAYFLY_TRY(const auto cursor, rows_->NewCursor({.prefix = prefix}));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++count;
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    return count;
  }

  Status Scan(const ScanRange& range, const RowVisitor& visit) override {
    // A cursor pins a state, and a promise would wait for it: so a long walk takes a new one now and
    // then, and continues behind the last key.
    constexpr std::uint64_t kRowsPerCursor = 100'000;
    std::string last;
    std::string end = range.reverse ? EndOf(range.prefix) : std::string();
    for (std::uint64_t seen = 0; seen < range.rows_max;) {
      const std::string begin = last.empty() || range.reverse ? std::string() : last + '\0';
      MAYFLY_TRY(const auto cursor,
                 rows_->NewCursor({.prefix = range.prefix, .begin = begin, .end = end}));
      const std::uint64_t page_end = std::min(range.rows_max, seen + kRowsPerCursor);
      range.reverse ? cursor->SeekToLast() : cursor->SeekToFirst();
      for (; cursor->Valid() && seen < page_end; ++seen) {
        last = cursor->key();
        if (range.with_collections && cursor->is_collection()) {
          MAYFLY_TRY(const auto whole, ReadWhole(last, range.without_max_ages));
          if (whole && !visit(*whole)) return {};
          range.reverse ? cursor->Prev() : cursor->Next();
          continue;
        }
        const TargetRow row{.key = last,
                            .value = range.with_values ? std::string(cursor->value()) : "",
                            .deadline = cursor->deadline(),
                            .type = cursor->is_collection() ? "collection" : "string"};
        if (!visit(row)) return {};
        range.reverse ? cursor->Prev() : cursor->Next();
      }
      MAYFLY_RETURN_IF_ERROR(cursor->status());
      if (!cursor->Valid()) return {};
      if (range.reverse) end = last;
    }
    return {};
  }

  Status UseDatabase(int number) override {
    MAYFLY_TRY(const auto there, database_->ListKeyspaces());
    MAYFLY_TRY(const auto names,
               server::Databases::Names(*database_, std::max(number + 1, AnyNumber(there))));
    const std::string& name = names[static_cast<std::size_t>(number)];
    auto found = database_->OpenKeyspace(name);
    if (!found && found.error().IsNotFound() && writes_) {
      // By this one, a server's folder is known.
      if (!database_->OpenKeyspace(server::kServerKeyspace)) {
        MAYFLY_RETURN_IF_ERROR(database_->CreateKeyspace(server::kServerKeyspace).status());
      }
      found = database_->CreateKeyspace(name);
    }
    MAYFLY_TRY(named_, std::move(found));
    rows_ = named_.get();
    return {};
  }

  Result<std::vector<int>> ListDatabases() override {
    std::vector<int> numbers;
    MAYFLY_TRY(const auto there, database_->ListKeyspaces());
    const auto has = [&](const std::string& name) {
      return std::find(there.begin(), there.end(), name) != there.end();
    };
    if (!has(server::kServerKeyspace)) return numbers;
    MAYFLY_TRY(const auto names, server::Databases::Names(*database_, AnyNumber(there)));
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (has(names[i])) numbers.push_back(static_cast<int>(i));
    }
    return numbers;
  }

  Result<std::vector<std::string>> Libraries() override {
    const auto own = database_->OpenKeyspace(server::kServerKeyspace);
    if (!own && own.error().IsNotFound()) return std::vector<std::string>();
    MAYFLY_RETURN_IF_ERROR(own.status());
    const KeyspaceReader& rows = **own;
    MAYFLY_TRY(const server::LibraryTexts libraries, server::ReadLibraries(rows));
    std::vector<std::string> texts;
    for (const auto& [name, text] : libraries) texts.push_back(text);
    return texts;
  }

  // Each is run once, as FUNCTION LOAD does, so that none is stored that a server would refuse.
  Status AddLibraries(const std::vector<std::string>& texts) override {
    if (texts.empty()) return {};
    auto own = database_->OpenKeyspace(server::kServerKeyspace);
    if (!own && own.error().IsNotFound()) own = database_->CreateKeyspace(server::kServerKeyspace);
    MAYFLY_RETURN_IF_ERROR(own.status());
    MAYFLY_TRY(const auto transaction, database_->Begin());
    core::TransactionKeyspace& space = core::SpaceOf(*transaction, **own);
    MAYFLY_TRY(server::LibraryTexts libraries, server::ReadLibraries(space));
    MAYFLY_TRY(server::LibraryTexts added, server::ByNames(texts));
    added.merge(libraries);
    server::ScriptEngine engine(SystemClock::Process());
    server::Catalogue catalogue;
    for (const auto& [name, text] : added) {
      MAYFLY_TRY(auto library, engine.LoadLibrary(text));
      MAYFLY_RETURN_IF_ERROR(catalogue.Add(std::move(library)));
    }
    Random random(FreshSeed());
    MAYFLY_RETURN_IF_ERROR(server::WriteLibraries(space, added, random).status());
    return transaction->Commit();
  }

  Status CreateKeyspace(const std::string& name, const KeyspacePolicy& policy) override {
    return database_->CreateKeyspace(name, policy).status();
  }

  Status DropKeyspace(const std::string& name) override { return database_->DropKeyspace(name); }

  Result<KeyspacePolicy> Policy() override { return rows_->policy(); }
  Status SetPolicy(const KeyspacePolicy& policy) override { return rows_->SetPolicy(policy); }

  Result<std::vector<ForecastBucket>> Forecast(Millis bucket, std::size_t buckets) override {
    return rows_->Forecast({.bucket = bucket, .buckets = buckets});
  }

  Result<std::vector<Event>> ReadEvents(std::uint64_t after, std::size_t events_max) override {
    MAYFLY_TRY(auto events, database_->ReadEvents(after, events_max));
    for (Event& event : events) event.member = Hash::FieldOf(event);  // As a person knows it.
    return events;
  }

  Result<Statistics> Stats() override { return database_->GetStatistics(); }

  Result<Activity> ReadActivity(std::size_t next_max) override {
    MAYFLY_TRY(Statistics statistics, database_->GetStatistics());
    MAYFLY_TRY(auto next, rows_->ScanDeadlines({.rows_max = next_max}));
    return Activity{.statistics = std::move(statistics),
                    .next = std::move(next),
                    .commands_total = std::nullopt,
                    .commands = {}};
  }

  Result<PurgeReport> Purge(std::uint64_t rows_max, Millis time_max) override {
    return database_->Purge({.rows_max = rows_max, .time_max = time_max});
  }

  Result<ReclaimReport> Compact(const Progress& progress) override {
    return core::ReclaimWatched(*database_, {.everything = true}, progress);
  }

  Result<std::pair<std::string, BackupReport>> Backup(const std::string& file,
                                                      const Progress& progress) override {
    MAYFLY_TRY(const BackupReport report, core::BackupWatched(*database_, file, progress));
    return std::pair(file, report);
  }

  Result<CheckReport> Check(bool repair, const Progress& progress) override {
    return core::CheckWatched(*database_, {.repair = repair}, progress);
  }

  Result<Proof> Prove(const ProveRequest& request, const Progress& progress) override {
    return core::ProveWatched(*database_, {.find = request.find}, progress);
  }

  Result<Reply> Command(const std::vector<std::string>& /*args*/) override {
    return Status::Unsupported("a folder answers no commands; `mayfly shell` serves it to itself");
  }

  Status Listen(const std::vector<std::string>& args,
                const std::function<bool(const Reply&)>& /*visit*/) override {
    return Command(args).status();
  }

 private:
  DirectoryTarget(std::string directory, bool writes)
      : directory_(std::move(directory)),
        writes_(writes),
        logger_(NewStderrLogger(LogLevel::kError)) {}

  Status OpenKeyspace(const TargetFlags& flags) {
    std::string name = flags.keyspace;
    if (name.empty()) {
      MAYFLY_TRY(const auto names, database_->ListKeyspaces());
      const auto has = [&](const char* wanted) {
        return std::find(names.begin(), names.end(), wanted) != names.end();
      };
      name = kLibrarys;
      if (has(server::kServerKeyspace)) {
        MAYFLY_TRY(const auto databases, server::Databases::Names(*database_, AnyNumber(names)));
        if (has(databases.front().c_str())) name = databases.front();
      }
    }
    if (name == kLibrarys) {
      rows_ = &database_->default_keyspace();
      return {};
    }
    auto found = database_->OpenKeyspace(name);
    if (!found && found.error().IsNotFound() && flags.create) {
      found = database_->CreateKeyspace(name);
      if (found) made_keyspace_ = name;
    }
    if (!found && found.error().IsNotFound()) {
      return Status::NotFound(
          fmt::format("{} has no keyspace '{}'; `mayfly keyspace list` shows them", directory_,
                      Printable(name)));
    }
    MAYFLY_RETURN_IF_ERROR(found.status());
    named_ = *std::move(found);
    rows_ = named_.get();
    return {};
  }

  // True also when that is unknown.
  bool HasRows() const {
    const auto statistics = database_->GetStatistics();
    if (!statistics) return true;
    return std::any_of(statistics->keyspaces.begin(), statistics->keyspaces.end(),
                       [](const KeyspaceStatistics& one) { return one.rows > 0; });
  }

  Status WriteWhole(Transaction& transaction, const TargetRow& row) {
    KeyspaceWriter& inside = transaction.In(*rows_);
    if (!row.collection) return inside.Put(row.key, row.value, row.lifetime());
    MAYFLY_RETURN_IF_ERROR(server::WriteRows(core::SpaceOf(transaction, *rows_), row.key,
                                             *row.collection, transaction.now()));
    const Status given = inside.Expire(row.key, row.lifetime()).status();
    return given.IsNotFound() ? Status() : given;  // All fields of a hash are dead.
  }

  // With its members, as of one instant. Nothing: it has died, or was deleted.
  Result<std::optional<TargetRow>> ReadWhole(const std::string& key, bool without_max_ages) {
    MAYFLY_TRY(const auto transaction, database_->Begin());
    core::TransactionKeyspace& space = core::SpaceOf(*transaction, *rows_);
    core::FoundRow row;
    MAYFLY_RETURN_IF_ERROR(space.Find(key, row));
    if (!row.exists) return std::optional<TargetRow>();
    auto value =
        server::ReadRows(space, key, row, transaction->now(),
                         without_max_ages ? server::MaxAges::kLeaveOut : server::MaxAges::kRefuse);
    if (!value && value.error().code() == StatusCode::kUnsupported) {
      return std::optional(StreamWithMaxAge(key, row.deadline));
    }
    MAYFLY_RETURN_IF_ERROR(value.status());
    return std::optional(WholeRow(key, row.deadline, *std::move(value)));
  }

  const std::string directory_;
  const bool writes_;
  const std::unique_ptr<Logger> logger_;
  std::optional<NewFolder> folder_;
  std::string made_keyspace_;           // By --create, and not kept yet; empty: none.
  std::unique_ptr<Database> database_;  // Uses the logger.
  std::shared_ptr<Keyspace> named_;     // Shared with the database; null: the default keyspace.
  Keyspace* rows_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Target>> OpenDirectory(const TargetFlags& flags, Access access) {
  return DirectoryTarget::Open(flags, access);
}

}  // namespace mayfly::app
