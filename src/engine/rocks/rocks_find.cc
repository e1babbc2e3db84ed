#include "engine/rocks/rocks_find.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/log_search.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/files/sst_entries.h"
#include "engine/rocks/rocks_database.h"

namespace mayfly::engine {
namespace {

bool IsGone(const rocksdb::Status& status) {
  return status.IsNotFound() || status.IsPathNotFound();
}

const char* NameOf(FileKind kind) {
  switch (kind) {
    case FileKind::kLog: return "a commit in the log";
    case FileKind::kManifest: return "a key in the list of files";
    case FileKind::kTable:
    case FileKind::kOther: return "bytes of the file";
  }
  return "bytes";
}

}  // namespace

RocksFind::RocksFind(rocksdb::Env& env, std::string directory, Questions ask, Bytes needle,
                     std::size_t traces_max, FindProgress progress)
    : env_(env),
      directory_(std::move(directory)),
      ask_(std::move(ask)),
      needle_(needle),
      traces_max_(traces_max),
      progress_(std::move(progress)) {}

// A file that could be opened is read to its end, even when it is removed meanwhile. The bytes of a
// file that was removed before are in newer files, so the directory is listed again, and only new
// files are read.
Result<std::vector<Trace>> RocksFind::Run() {
  for (int pass = 0; pass < kFindPassesMax; ++pass) {
    bool complete = true;
    MAYFLY_TRY(const std::vector<DirectoryFile> files, ask_.files());
    const LiveTables live = ask_.live_tables();
    bytes_all_ = bytes_done_;
    for (const DirectoryFile& file : files) {
      if (!searched_.contains(file.name)) bytes_all_ += file.bytes;
    }
    for (const DirectoryFile& file : files) {
      if (Full()) return std::move(traces_);
      if (searched_.contains(file.name)) continue;
      MAYFLY_RETURN_IF_ERROR(ReportProgress(0));
      MAYFLY_TRY(const Outcome outcome, SearchFile(file, live));
      if (outcome == Outcome::kDone) searched_.insert(file.name);
      if (outcome == Outcome::kGone) complete = false;
    }
    if (complete) return std::move(traces_);
  }
  return Status::Busy(
      fmt::format("files in {} come and go faster than they can be searched; write less and retry",
                  directory_));
}

Result<RocksFind::Outcome> RocksFind::SearchFile(const DirectoryFile& file,
                                                 const LiveTables& live) {
  if (file.kind != FileKind::kTable) return SearchRaw(file, NameOf(file.kind));
  const std::size_t before = traces_.size();
  MAYFLY_TRY(const Outcome outcome, SearchTable(file, live));
  if (outcome == Outcome::kGone || traces_.size() > before) return outcome;
  // Properties, and blocks that are no entries.
  MAYFLY_TRY(const Outcome raw, SearchRaw(file, NameOf(file.kind)));
  return raw == Outcome::kDone ? outcome : raw;
}

Result<RocksFind::Outcome> RocksFind::SearchTable(const DirectoryFile& file,
                                                  const LiveTables& live) {
  std::unique_ptr<rocksdb::RandomAccessFile> opened;
  // The size in the list may be from before the file was finished.
  std::uint64_t bytes = 0;
  rocksdb::Status status = env_.NewRandomAccessFile(PathOf(file), &opened, rocksdb::EnvOptions());
  if (status.ok()) status = env_.GetFileSize(PathOf(file), &bytes);
  if (IsGone(status)) return Outcome::kGone;
  if (!status.ok()) return Broken(file, FromRocks(status, "opening it"));

  const auto found = live.find(file.number);
  const Role* const role = found == live.end() ? nullptr : &found->second;
  const Status walked = ForEachSstEntry(*opened, bytes, [&](const SstEntry& entry) {
    const bool held =
        entry.key.find(needle_) != Bytes::npos || entry.value.find(needle_) != Bytes::npos;
    if (held) Add(file.name, Describe(entry, role));
    return !Full();
  });
  if (walked.ok()) return Outcome::kDone;
  // Files that are not part of any state may be half written. A running compaction writes only
  // bytes that it reads from files that are searched as well.
  if (role == nullptr) return Outcome::kUnfinished;
  return Broken(file, walked);
}

Result<RocksFind::Outcome> RocksFind::SearchRaw(const DirectoryFile& file, const char* what) {
  std::unique_ptr<rocksdb::SequentialFile> opened;
  rocksdb::Status status = env_.NewSequentialFile(PathOf(file), &opened, rocksdb::EnvOptions());
  if (IsGone(status)) return Outcome::kGone;
  LogSearch records(needle_);
  ByteSearch bytes(needle_);
  const bool framed = file.kind == FileKind::kLog || file.kind == FileKind::kManifest;
  std::string buffer(kFindChunkBytes, '\0');
  bool found = false;
  bool ended = false;
  while (status.ok() && !found && !ended) {
    rocksdb::Slice read;
    status = opened->Read(buffer.size(), &read, buffer.data());
    ended = read.empty();
    MAYFLY_RETURN_IF_ERROR(ReportProgress(read.size()));
    found = framed ? records.Feed(ToBytes(read)) : bytes.Feed(ToBytes(read));
  }
  if (!status.ok()) return Broken(file, FromRocks(status, "reading it"));
  if (framed && !found) found = records.Finish();
  if (found) Add(file.name, what);
  return Outcome::kDone;
}

// Reports progress: these bytes will not be read again.
Status RocksFind::ReportProgress(std::uint64_t bytes) {
  bytes_done_ += bytes;
  if (!progress_ || progress_(bytes_done_, std::max(bytes_done_, bytes_all_))) return {};
  return Status::Conflict("the search was ended before it was done; nothing is known of the rest");
}

std::string RocksFind::Describe(const SstEntry& entry, const Role* role) const {
  const std::string in =
      role != nullptr ? fmt::format("in {}", RoleName(*role)) : "in a file of an older state";
  const std::string key = Printable(entry.key);
  switch (entry.kind) {
    case SstEntry::Kind::kIndexKey: return fmt::format("a key in the index of the file, {}", in);
    case SstEntry::Kind::kTombstone: return fmt::format("a tombstone of key '{}' {}", key, in);
    case SstEntry::Kind::kRangeTombstone:
      return fmt::format("a tombstone of the keys from '{}' to '{}' {}", key,
                         Printable(entry.value), in);
    case SstEntry::Kind::kValue: break;
  }
  const bool visible = role != nullptr && ask_.is_visible(*role, entry.key, entry.value);
  return fmt::format("{} key '{}' {}", visible ? "the value of" : "an old version of", key, in);
}

Status RocksFind::Broken(const DirectoryFile& file, const Status& why) const {
  return Status(why.code(), fmt::format("searching {}: {}", PathOf(file), why.message()));
}

void RocksFind::Add(const std::string& where, std::string what) {
  if (Full() || !known_.emplace(where, what).second) return;
  traces_.push_back({.where = where, .what = std::move(what)});
}

Result<std::vector<Trace>> RocksDatabase::DoFind(Bytes needle, std::size_t traces_max,
                                                 const FindProgress& progress) const {
  const RocksFind::Questions questions{
      .files = [this] { return ListFiles(); },
      .live_tables = [this] { return LiveTables(); },
      .is_visible =
          [this](Role role, Bytes key, Bytes value) {
            PinnedBytes newest;
            return DoGet({.role = role}, key, newest, nullptr).ok() && newest.view() == value;
          }};
  return RocksFind(*handles_.database->GetEnv(), handles_.directory, questions, needle, traces_max,
                   progress)
      .Run();
}

}  // namespace mayfly::engine
