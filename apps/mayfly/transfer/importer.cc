#include "apps/mayfly/transfer/importer.h"

#include <fmt/format.h>

#include "apps/mayfly/terminal/interrupt.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kBatchRows = 1000;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

}  // namespace

Status Importer::Add(TargetRow row, std::uint64_t line) {
  bytes_ += row.key.size() + row.bytes();
  batch_.push_back(std::move(row));
  lines_.push_back(line);
  return batch_.size() >= kBatchRows || bytes_ >= kBatchBytes ? Flush() : Status();
}

Status Importer::Flush() {
  if (batch_.empty()) return {};
  const auto living = target_.Import(batch_);
  const Status written = living ? Status() : OneByOne(living.error());
  if (living) Count(batch_.size(), *living);
  batch_.clear();
  lines_.clear();
  bytes_ = 0;
  return written;
}

// Of a batch in which a row was refused, a folder keeps nothing, and a server all others. Its rows
// are written one after the other then, up to that one, whose line it names.
Status Importer::OneByOne(const Status& refused) {
  if (refused.code() == StatusCode::kIoError || Interrupted()) return refused;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const auto living = target_.Import({batch_[i]});
    if (!living) {
      return Status(living.error().code(),
                    fmt::format("{} {}: {}", unit_, lines_[i], living.error().message()));
    }
    Count(1, *living);
  }
  return {};
}

}  // namespace mayfly::app
