#include "engine/rocks/files/rocks_status.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "base/printable.h"

namespace mayfly::engine {
namespace {

// If a table is missing, RocksDB tries an old form of its name, and reports that one.
std::string WithTablesAsNamed(std::string words) {
  constexpr std::string_view kOldEnding = ".ldb";
  for (std::size_t at = 0; (at = words.find(kOldEnding, at)) != std::string::npos; ++at) {
    const bool is_table = at > 0 && words[at - 1] >= '0' && words[at - 1] <= '9';
    if (is_table) words.replace(at, kOldEnding.size(), ".sst");
  }
  return words;
}

}  // namespace

Status FromRocks(const rocksdb::Status& status, std::string_view doing) {
  using Code = rocksdb::Status::Code;
  if (status.ok()) return {};
  // RocksDB's messages may contain keys, which can be any bytes.
  constexpr std::size_t kWordsBytesMax = 1024;
  const std::string words = WithTablesAsNamed(Printable(status.ToString(), kWordsBytesMax));
  const auto said = [&](StatusCode code) {
    return Status(code, fmt::format("{}: {}", doing, words));
  };
  switch (status.code()) {
    case Code::kNotFound: return Status::NotFound();
    case Code::kCorruption: return said(StatusCode::kCorruption);
    case Code::kNotSupported: return said(StatusCode::kUnsupported);
    case Code::kInvalidArgument: return said(StatusCode::kInvalid);
    case Code::kIOError:
      if (status.IsNoSpace()) {
        return Status::IoError(
            fmt::format("{}: the disk is full; free some space and retry, nothing was written ({})",
                        doing, words));
      }
      if (status.IsPathNotFound()) {
        return Status::Corruption(fmt::format("{}: a file is missing: {}", doing, words));
      }
      return said(StatusCode::kIoError);
    case Code::kBusy:
    case Code::kTimedOut:
    case Code::kTryAgain: return said(StatusCode::kBusy);
    default: return said(StatusCode::kInternal);
  }
}

bool HasFoundNoRoom(const rocksdb::Status& status) {
  if (!status.IsIOError()) return false;
  if (status.IsNoSpace()) return true;
  // All that RocksDB keeps of the system's error is its text, at the end.
  const std::string words = status.ToString();
  for (const int error : {EDQUOT, EFBIG}) {
    if (words.ends_with(std::generic_category().message(error))) return true;
  }
  return false;
}

}  // namespace mayfly::engine
