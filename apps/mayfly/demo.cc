#include "apps/mayfly/demo.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "apps/mayfly/terminal/interrupt.h"
#include "base/line_logger.h"
#include "base/temporary_directory.h"
#include "mayfly/database.h"

namespace mayfly::app {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kKeyspaceName = "demo";  // Its presence says that the database is the demo's.
constexpr Bytes kAnn = "session:ann";
constexpr Bytes kBob = "session:bob";
constexpr Bytes kCode = "code:4711";
constexpr Bytes kTheme = "theme";

// Standard output may be a closed pipe; main checks that once, at the end. Flushed line by line, so
// that a reader sees a step when it is done, in a pipe as well.
template <typename... Args>
void Say(fmt::format_string<Args...> format, Args&&... args) {
  const std::string line = fmt::format(format, std::forward<Args>(args)...) + "\n";
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

class Demo {
 public:
  explicit Demo(std::string directory)
      // Only errors: a warning about a clock that the demo itself moves would mislead.
      : logger_(NewStderrLogger(LogLevel::kError)),
        directory_(std::move(directory)),
        clock_(SystemClock::Process().Now()),
        start_(clock_.Now()) {}

  Status Run();

 private:
  // The steps, in order.
  Status PutRows();
  Status DieOnTime();
  Status Slide();
  Status UseCodeOnce();
  Status TransactAcrossDeath();
  Status Forecast();
  Status Purge();
  Status OpenTwice();
  Status OpenAgain();

  Result<std::unique_ptr<Database>> Open() const;
  Status MakeKeyspace();
  Status CheckNobodyElses() const;
  void SayGet(Bytes key) const;
  Status SayRows() const;
  std::string AfterStart(WallTime time) const;

  const std::unique_ptr<Logger> logger_;
  const std::string directory_;
  ManualClock clock_;
  WallTime start_;
  std::unique_ptr<Database> database_;  // Uses the clock and the logger.
  std::shared_ptr<Keyspace> rows_;      // Shared with the database.
};

Status Demo::Run() {
  using Step = Status (Demo::*)();
  struct Chapter {
    Bytes title;
    Step step;
  };
  // clang-format off
  constexpr Chapter kChapters[] = {
      {"Rows that know when they die", &Demo::PutRows},
      {"To the millisecond",           &Demo::DieOnTime},
      {"A sliding session",            &Demo::Slide},
      {"A code that works once",       &Demo::UseCodeOnce},
      {"Transactions",                 &Demo::TransactAcrossDeath},
      {"What dies when",               &Demo::Forecast},
      {"Giving the space back",        &Demo::Purge},
      {"One writer",                   &Demo::OpenTwice},
      {"Closing",                      &Demo::OpenAgain},
  };
  // clang-format on
  MAYFLY_TRY(database_, Open());
  // A database's time does not go back, and an earlier demo left it hours ahead.
  start_ = database_->clock_report().now;
  clock_.Set(start_);
  Say("A database in {}. Its clock starts at 0 s and moves only when told.", directory_);
  MAYFLY_RETURN_IF_ERROR(MakeKeyspace());
  for (const Chapter& chapter : kChapters) {
    if (Interrupted()) return {};
    Say("\n{}", chapter.title);
    MAYFLY_RETURN_IF_ERROR((this->*chapter.step)());
  }
  return database_->Close();
}

Status Demo::PutRows() {
  MAYFLY_RETURN_IF_ERROR(rows_->Put(kAnn, "logged in", Lifetime::For(seconds(60))));
  MAYFLY_RETURN_IF_ERROR(rows_->Put(kBob, "logged in", Lifetime::For(minutes(60))));
  MAYFLY_RETURN_IF_ERROR(rows_->Put(kTheme, "dark"));
  return SayRows();
}

Status Demo::DieOnTime() {
  clock_.Advance(seconds(60) - Millis(1));
  Say("  1 ms before the deadline:");
  SayGet(kAnn);
  clock_.Advance(Millis(1));
  Say("  At the deadline it is gone, for every call, with nobody having removed it:");
  SayGet(kAnn);
  MAYFLY_TRY(const std::uint64_t count, rows_->Count());
  Say("    count -> {}", count);
  return {};
}

Status Demo::Slide() {
  Say("  Touch reads a row and renews its life, as one step.");
  clock_.Advance(minutes(30));
  MAYFLY_TRY(const Row touched, rows_->Touch(kBob, Lifetime::For(minutes(60))));
  Say("    touch {} at {} -> dies at {}", kBob, AfterStart(clock_.Now()),
      AfterStart(*touched.deadline));
  return {};
}

Status Demo::UseCodeOnce() {
  Say("  Conditions see the dead as absent; deleting tells who was first.");
  const auto issue = [&]() -> Status {
    MAYFLY_TRY(const bool issued,
               rows_->PutIf(kCode, "for ann", PutCondition::Absent(), Lifetime::For(seconds(30))));
    Say("    put {} if absent -> {}", kCode, issued);
    return {};
  };
  MAYFLY_RETURN_IF_ERROR(issue());
  MAYFLY_RETURN_IF_ERROR(issue());
  clock_.Advance(seconds(30));
  Say("  30 s later it is dead, and may be issued again:");
  MAYFLY_RETURN_IF_ERROR(issue());
  for (int attempt = 0; attempt < 2; ++attempt) {
    MAYFLY_TRY(const bool used, rows_->Delete(kCode));
    Say("    use it -> {}", used ? "welcome" : "used up");
  }
  return {};
}

Status Demo::TransactAcrossDeath() {
  Say("  A transaction stays at its instant: what it saw alive stays alive for it.");
  MAYFLY_RETURN_IF_ERROR(rows_->Put("lock", "ann", Lifetime::For(seconds(5))));
  MAYFLY_TRY(const auto transaction, database_->Begin());
  KeyspaceWriter& inside = transaction->In(*rows_);
  clock_.Advance(seconds(10));
  MAYFLY_TRY(const bool seen_inside, inside.Exists("lock"));
  MAYFLY_TRY(const bool seen_outside, rows_->Exists("lock"));
  Say("    10 s later, is the lock there? inside -> {}, outside -> {}", seen_inside, seen_outside);
  MAYFLY_RETURN_IF_ERROR(inside.Put(kTheme, "light"));
  const Status committed = transaction->Commit();
  Say("    commit -> {}. A row that dies breaks no transaction.", committed.ToString());
  return committed;
}

Status Demo::Forecast() {
  MAYFLY_RETURN_IF_ERROR(rows_->Put("cache:1", "a", Lifetime::For(minutes(10))));
  MAYFLY_RETURN_IF_ERROR(rows_->Put("cache:2", "b", Lifetime::For(minutes(20))));
  MAYFLY_TRY(const auto forecast, rows_->Forecast({.bucket = minutes(15), .buckets = 4}));
  for (const ForecastBucket& bucket : forecast) {
    Say("    from {:>6} to {:>6}: {} rows, {} bytes", AfterStart(bucket.begin),
        AfterStart(bucket.end), bucket.rows, bucket.bytes);
  }
  return {};
}

Status Demo::Purge() {
  clock_.Advance(minutes(15));
  MAYFLY_TRY(const PurgeReport report, database_->Purge());
  Say("  15 minutes later a purge walks the index from its oldest end: {} rows removed.",
      report.rows);
  Say("  Each death is on record, written in the batch that removed the row:");
  MAYFLY_TRY(const auto events, database_->ReadEvents(0, 100));
  for (const Event& event : events) {
    Say("    {:<12} died at {}", event.key, AfterStart(event.deadline));
  }
  MAYFLY_TRY(const CheckReport check, database_->Check());
  Say("  Rows and index agree: {} rows, {} entries, {} faults.", check.rows, check.entries,
      check.missing_entries + check.stale_entries + check.wrong_counts);
  return check.clean() ? Status() : Status::Internal("the check found faults");
}

Status Demo::OpenTwice() {
  const auto second = Open();
  if (second.has_value()) return Status::Internal("the second opener was let in");
  Say("    open -> {}", second.error().ToString());
  return {};
}

Status Demo::OpenAgain() {
  Say("  Closed and opened again, it holds the same rows with the same deadlines.");
  MAYFLY_RETURN_IF_ERROR(database_->Close());
  database_.reset();
  MAYFLY_TRY(database_, Open());
  MAYFLY_TRY(rows_, database_->OpenKeyspace(kKeyspaceName));
  return SayRows();
}

Result<std::unique_ptr<Database>> Demo::Open() const {
  return Database::Open({.directory = directory_,
                         .memory = MemoryProfile::kTiny,
                         .clock_jump_max = Millis::max(),  // An earlier demo may lie years back.
                         .clock = &clock_,
                         .logger = logger_.get()});
}

Status Demo::MakeKeyspace() {
  const auto earlier = database_->OpenKeyspace(kKeyspaceName);
  if (earlier) {
    Say("It holds the rows of an earlier demo; they are cleared first.");
    MAYFLY_RETURN_IF_ERROR(database_->DropKeyspace(kKeyspaceName));
    MAYFLY_TRY(const std::uint64_t trimmed, database_->TrimEvents({.keep_newest = 0}));
    (void)trimmed;
  } else {
    MAYFLY_RETURN_IF_ERROR(CheckNobodyElses());
  }
  MAYFLY_TRY(rows_, database_->CreateKeyspace(kKeyspaceName, {.events = EventDetail::kKey}));
  return {};
}

Status Demo::CheckNobodyElses() const {
  MAYFLY_TRY(const auto keyspaces, database_->ListKeyspaces());
  MAYFLY_TRY(const std::uint64_t rows, database_->default_keyspace().Count());
  if (keyspaces.size() == 1 && rows == 0) return {};
  return Status::Invalid(fmt::format(
      "{} holds a database that the demo did not make; name another folder", directory_));
}

void Demo::SayGet(Bytes key) const {
  const Result<std::string> value = rows_->Get(key);
  Say("    get {} -> {}", key, value ? *value : std::string(StatusCodeName(value.error().code())));
}

Status Demo::SayRows() const {
  MAYFLY_TRY(const auto cursor, rows_->NewCursor());
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    Say("    row    {:<12} = {:<10} {}", cursor->key(), cursor->value(),
        cursor->deadline() ? "dies at " + AfterStart(*cursor->deadline()) : "has no deadline");
  }
  return cursor->status();
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
