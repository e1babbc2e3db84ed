#include "demo.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/stderr_logger.h"
#include "base/temporary_directory.h"
#include "demo_row.h"
#include "engine/engine.h"
#include "engine/rocks/rocks_engine.h"
#include "interrupt.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::app {
namespace {

using engine::Address;
using engine::Batch;
using engine::Role;
using std::chrono::seconds;

constexpr Address kRows{.role = Role::kRows};
constexpr Address kEntries{.role = Role::kExpiry};
constexpr Address kMeta{.role = Role::kMeta};
constexpr Role kAllRoles[] = {Role::kRows, Role::kMembers, Role::kExpiry, Role::kEvents,
                              Role::kMeta};

constexpr Bytes kMarker = "mayfly demo";  // In `meta`: this database is the demo's to clear.
constexpr Bytes kAnn = "session:ann";
constexpr Bytes kBob = "session:bob";
constexpr Bytes kTheme = "theme";
constexpr seconds kAnnTtl{60};
constexpr seconds kBobTtl{3600};

// Standard output may be a closed pipe; main looks at that once, at the end. Flushed line by line,
// so that a reader sees a step when it is done, in a pipe as well.
template <typename... Args>
void Say(fmt::format_string<Args...> format, Args&&... args) {
  const std::string line = fmt::format(format, std::forward<Args>(args)...) + "\n";
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

class Demo {
 public:
  explicit Demo(std::string directory)
      : start_(SystemClock::Process().Now()),
        logger_(NewStderrLogger(LogLevel::kWarning)),
        directory_(std::move(directory)),
        clock_(start_),
        policy_(NewDemoPolicy(clock_)) {}

  Status Run();

 private:
  // The steps, in the order of the story.
  Status PutRows();
  Status RefuseBatch();
  Status FreezeState();
  Status ShowFiles();
  Status LetTimePass();
  Status OpenTwice();
  Status OpenAgain();

  Result<std::unique_ptr<engine::Engine>> Open() const;
  Status ClearEarlierDemo();
  Result<bool> IsEmpty() const;
  void AddRow(Batch& batch, Bytes key, Bytes payload, std::optional<seconds> ttl) const;
  Result<std::string> Payload(Bytes key, const engine::Snapshot* snapshot = nullptr) const;
  Status SayRows() const;
  Status SayFiles(Role role) const;
  std::string AfterStart(WallTime time) const;

  const WallTime start_;
  const std::unique_ptr<Logger> logger_;
  const std::string directory_;
  ManualClock clock_;
  const std::shared_ptr<const engine::DropPolicy> policy_;
  std::unique_ptr<engine::Engine> engine_;  // Last: it uses the clock, the policy and the logger.
};

Status Demo::Run() {
  using Step = Status (Demo::*)();
  struct Chapter {
    Bytes title;
    Step step;
  };
  constexpr Chapter kChapters[] = {
      {"One batch, several maps", &Demo::PutRows    },
      {"Conditions",              &Demo::RefuseBatch},
      {"Snapshots",               &Demo::FreezeState},
      {"Files",                   &Demo::ShowFiles  },
      {"Death",                   &Demo::LetTimePass},
      {"One writer",              &Demo::OpenTwice  },
      {"Closing",                 &Demo::OpenAgain  },
  };
  MAYFLY_TRY(engine_, Open());
  Say("A database in {}. Its clock starts at 0 s and moves only when told.", directory_);
  MAYFLY_RETURN_IF_ERROR(ClearEarlierDemo());
  for (const Chapter& chapter : kChapters) {
    if (Interrupted()) return {};
    Say("\n{}", chapter.title);
    MAYFLY_RETURN_IF_ERROR((this->*chapter.step)());
  }
  return engine_->Close();
}

Status Demo::PutRows() {
  Say("  Three rows and, for the two that will die, an entry in the index ordered by deadline.\n"
      "  Rows and entries are different maps; the batch is atomic over both.");
  Batch batch;
  AddRow(batch, kAnn, "logged in", kAnnTtl);
  AddRow(batch, kBob, "logged in", kBobTtl);
  AddRow(batch, kTheme, "dark", std::nullopt);
  MAYFLY_RETURN_IF_ERROR(engine_->Commit(batch, Durability::kDisk));
  return SayRows();
}

Status Demo::RefuseBatch() {
  Say("  A batch with a condition that does not hold changes nothing.");
  Batch batch;
  batch.RequireAbsent(kRows, kAnn);
  AddRow(batch, kAnn, "stolen", kBobTtl);
  const Status status = engine_->Commit(batch);
  if (status != Status::Conflict("")) return Status::Internal("the condition was not checked");
  MAYFLY_TRY(const std::string payload, Payload(kAnn));
  Say("    put {} if absent -> {}\n    get {} -> {}", kAnn, status.ToString(), kAnn, payload);
  return {};
}

Status Demo::FreezeState() {
  Say("  A snapshot stays as it was, whatever is committed afterwards.");
  MAYFLY_TRY(const std::unique_ptr<engine::Snapshot> snapshot, engine_->NewSnapshot());
  Batch batch;
  AddRow(batch, kTheme, "light", std::nullopt);
  MAYFLY_RETURN_IF_ERROR(engine_->Commit(batch));
  MAYFLY_TRY(const std::string frozen, Payload(kTheme, snapshot.get()));
  MAYFLY_TRY(const std::string newest, Payload(kTheme));
  Say("    put {} = light\n    get {} in the snapshot -> {}\n    get {} -> {}", kTheme, kTheme,
      frozen, kTheme, newest);
  return {};
}

Status Demo::ShowFiles() {
  Say("  Every file knows when its rows die, so nobody has to read it to find out.");
  MAYFLY_RETURN_IF_ERROR(engine_->Compact(Role::kRows));
  return SayFiles(Role::kRows);
}

Status Demo::LetTimePass() {
  clock_.Advance(kAnnTtl);
  Say("  The clock moves to {}: {} is dead. Compaction asks, and drops it with its entry.",
      AfterStart(clock_.Now()), kAnn);
  MAYFLY_RETURN_IF_ERROR(engine_->Compact(Role::kRows));
  MAYFLY_RETURN_IF_ERROR(engine_->Compact(Role::kExpiry));
  MAYFLY_RETURN_IF_ERROR(SayRows());
  MAYFLY_RETURN_IF_ERROR(SayFiles(Role::kRows));
  return SayFiles(Role::kExpiry);
}

Status Demo::OpenTwice() {
  Say("  A database has one writer. Opening it a second time is refused.");
  const Result<std::unique_ptr<engine::Engine>> second = Open();
  if (second.has_value() || second.error() != Status::Busy("")) {
    return Status::Internal("the second opener was let in");
  }
  Say("    open -> {}", second.error().ToString());
  return {};
}

Status Demo::OpenAgain() {
  Say("  Closed and opened again, it holds the same rows.");
  MAYFLY_RETURN_IF_ERROR(engine_->Close());
  MAYFLY_TRY(engine_, Open());
  return SayRows();
}

Result<std::unique_ptr<engine::Engine>> Demo::Open() const {
  engine::RocksOptions options;
  options.directory = directory_;
  options.profile = engine::Profile::kTiny;
  options.drop_policy = policy_;
  options.logger = logger_.get();
  return engine::OpenRocksEngine(options);
}

// A range delete per role: cheap however much is in it.
Status Demo::ClearEarlierDemo() {
  MAYFLY_TRY(const bool empty, IsEmpty());
  Batch batch;
  if (!empty) {
    PinnedBytes marker;
    const Status found = engine_->Get(kMeta, kMarker, marker);
    if (found.IsNotFound()) {
      return Status::Invalid(fmt::format(
          "{} holds a database that the demo did not make; name another folder", directory_));
    }
    MAYFLY_RETURN_IF_ERROR(found);
    Say("It holds the rows of an earlier demo; they are cleared first.");
    for (const Address at : {kRows, kEntries}) batch.DeleteRange(at, Bytes("\0", 1), "\xff");
  }
  batch.Put(kMeta, kMarker, "");
  return engine_->Commit(batch);
}

Result<bool> Demo::IsEmpty() const {
  for (const Role role : kAllRoles) {
    MAYFLY_TRY(const std::unique_ptr<engine::Cursor> cursor, engine_->NewCursor({.role = role}));
    cursor->SeekToFirst();
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    if (cursor->Valid()) return false;
  }
  return true;
}

void Demo::AddRow(Batch& batch, Bytes key, Bytes payload, std::optional<seconds> ttl) const {
  std::optional<WallTime> deadline;
  if (ttl) deadline = clock_.Now() + *ttl;
  batch.Put(kRows, key, EncodeRow(deadline, payload));
  if (deadline) batch.Put(kEntries, EncodeEntry(*deadline, key), "");
}

Result<std::string> Demo::Payload(Bytes key, const engine::Snapshot* snapshot) const {
  PinnedBytes value;
  MAYFLY_RETURN_IF_ERROR(engine_->Get(kRows, key, value, snapshot));
  return std::string(BehindDeadline(value.view()));
}

Status Demo::SayRows() const {
  MAYFLY_TRY(const std::unique_ptr<engine::Cursor> cursor, engine_->NewCursor(kRows));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const std::optional<WallTime> deadline = DeadlineAtFront(cursor->value());
    Say("    row    {:<12} = {:<10} {}", cursor->key(), BehindDeadline(cursor->value()),
        deadline ? "dies at " + AfterStart(*deadline) : "has no deadline");
  }
  return cursor->status();
}

Status Demo::SayFiles(Role role) const {
  MAYFLY_TRY(const std::vector<engine::FileInfo> files, engine_->Files(role));
  for (const engine::FileInfo& file : files) {
    const engine::DeadlineStats& deadlines = file.deadlines;
    if (!deadlines.min_deadline()) continue;
    Say("    file   of {}: {} with a deadline, first {}, last {}; {} without",
        engine::RoleName(role), deadlines.mortal_rows(), AfterStart(*deadlines.min_deadline()),
        AfterStart(*deadlines.max_deadline()), deadlines.immortal_rows());
  }
  return {};
}

std::string Demo::AfterStart(WallTime time) const {
  return fmt::format("{} s", std::chrono::duration_cast<seconds>(time - start_).count());
}

}  // namespace

Status RunDemo(const std::string& directory) {
  if (!directory.empty()) return Demo(directory).Run();
  const TemporaryDirectory temporary;
  return Demo(temporary.path()).Run();
}

}  // namespace mayfly::app
