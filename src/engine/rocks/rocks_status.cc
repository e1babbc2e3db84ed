#include "engine/rocks/rocks_status.h"

#include <fmt/format.h>

namespace mayfly::engine {

Status FromRocks(const rocksdb::Status& status, std::string_view doing) {
  using Code = rocksdb::Status::Code;
  const auto said = [&](StatusCode code) {
    return Status(code, fmt::format("{}: {}", doing, status.ToString()));
  };
  switch (status.code()) {
    case Code::kOk: return {};
    case Code::kNotFound: return Status::NotFound();
    case Code::kCorruption: return said(StatusCode::kCorruption);
    case Code::kNotSupported: return said(StatusCode::kUnsupported);
    case Code::kInvalidArgument: return said(StatusCode::kInvalid);
    case Code::kIOError:
      if (status.IsNoSpace()) {
        return Status::IoError(
            fmt::format("{}: the disk is full; free some space and retry, nothing was written ({})",
                        doing, status.ToString()));
      }
      if (status.IsPathNotFound()) {
        return Status::Corruption(
            fmt::format("{}: a file is missing: {}", doing, status.ToString()));
      }
      return said(StatusCode::kIoError);
    case Code::kBusy:
    case Code::kTimedOut:
    case Code::kTryAgain: return said(StatusCode::kBusy);
    default: return said(StatusCode::kInternal);
  }
}

}  // namespace mayfly::engine
