#include "apps/mayfly/target/directory_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/mayfly/reencrypt.h"
#include "base/line_logger.h"
#include "base/printable.h"
#include "server/databases/databases.h"

namespace mayfly::app {
namespace {

constexpr const char* kServersFirst = "db0";
constexpr const char* kLibrarys = "default";

Lifetime LifetimeOf(const TargetRow& row) {
  return row.deadline ? Lifetime::Until(*row.deadline) : Lifetime::Forever();
}

// In place of the names of options in code, those of flags.
Status InFlags(const Status& status, const std::string& directory, Access access) {
  if (status.code() == StatusCode::kBusy && access == Access::kWrite) {
    return Status::Busy(fmt::format(
        "{} is open in another process. If a server has it, name the server: --url redis://HOST",
        directory));
  }
  return status;
}

// The least key behind all with this prefix; empty: there is none.
std::string EndOf(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

}  // namespace

DirectoryTarget::DirectoryTarget(std::string directory)
    : directory_(std::move(directory)), logger_(NewStderrLogger(LogLevel::kError)) {}

Result<std::unique_ptr<Target>> DirectoryTarget::Open(const TargetFlags& flags, Access access) {
  std::unique_ptr<DirectoryTarget> target(new DirectoryTarget(flags.target));
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  auto opened = Database::Open({.directory = flags.target,
                                .read_only = access == Access::kRead,
                                .create_if_missing = flags.create && access == Access::kWrite,
                                .password = password.view(),
                                .logger = target->logger_.get()});
  if (!opened) return InFlags(opened.error(), flags.target, access);
  target->database_ = *std::move(opened);
  MAYFLY_RETURN_IF_ERROR(target->OpenKeyspace(flags));
  return std::unique_ptr<Target>(std::move(target));
}

Status DirectoryTarget::OpenKeyspace(const TargetFlags& flags) {
  std::string name = flags.keyspace;
  if (name.empty()) {
    MAYFLY_TRY(const auto names, database_->ListKeyspaces());
    const auto has = [&](const char* wanted) {
      return std::find(names.begin(), names.end(), wanted) != names.end();
    };
    name = has(server::kServerKeyspace) && has(kServersFirst) ? kServersFirst : kLibrarys;
  }
  if (name == kLibrarys) {
    rows_ = &database_->default_keyspace();
    return {};
  }
  auto found = database_->OpenKeyspace(name);
  if (!found && found.error().IsNotFound() && flags.create) {
    found = database_->CreateKeyspace(name);
  }
  if (!found && found.error().IsNotFound()) {
    return Status::NotFound(fmt::format(
        "{} has no keyspace '{}'; `mayfly keyspace list` shows them", directory_, Printable(name)));
  }
  MAYFLY_RETURN_IF_ERROR(found.status());
  named_ = *std::move(found);
  rows_ = named_.get();
  return {};
}

Result<TargetRow> DirectoryTarget::Get(Bytes key) {
  MAYFLY_TRY(Row row, rows_->GetRow(key));
  return TargetRow{
      .key = std::string(key), .value = std::move(row.value), .deadline = row.deadline};
}

Status DirectoryTarget::Put(Bytes key, Bytes value, Lifetime lifetime) {
  return rows_->Put(key, value, lifetime);
}

Status DirectoryTarget::PutAll(const std::vector<TargetRow>& rows) {
  return database_->Transact([&](Transaction& transaction) -> Status {
    KeyspaceWriter& inside = transaction.In(*rows_);
    for (const TargetRow& row : rows) {
      MAYFLY_RETURN_IF_ERROR(inside.Put(row.key, row.value, LifetimeOf(row)));
    }
    return {};
  });
}

Result<bool> DirectoryTarget::Delete(Bytes key) { return rows_->Delete(key); }

Status DirectoryTarget::Expire(Bytes key, Lifetime lifetime) {
  return rows_->Expire(key, lifetime).status();
}

Result<Millis> DirectoryTarget::Ttl(Bytes key) { return rows_->Ttl(key); }

Result<std::uint64_t> DirectoryTarget::Count(Bytes prefix) {
  if (prefix.empty()) return rows_->Count();
  std::uint64_t count = 0;
  MAYFLY_TRY(const auto cursor, rows_->NewCursor({.prefix = prefix}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++count;
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return count;
}

Status DirectoryTarget::Scan(const ScanRange& range, const RowVisitor& visit) {
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

}  // namespace mayfly::app
