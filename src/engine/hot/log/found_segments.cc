#include "engine/hot/log/found_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace mayfly::engine::hot {

FoundSegment SegmentFoundIn(LogFiles& files, std::uint64_t number, Bytes bytes) {
  FoundSegment found;
  found.number = number;
  auto header = DecodeSegmentHeader(bytes);
  if (!header.has_value()) {
    found.damage = {header.error().code(),
                    fmt::format("{}, offset 0: {}", files.PathOf(SegmentName(number)),
                                header.error().message())};
  } else if (header->has_value() && (*header)->number != number) {
    found.damage = Status::Corruption(fmt::format(
        "{}, offset 0: this is segment {}", files.PathOf(SegmentName(number)), (*header)->number));
  } else {
    found.header = *std::move(header);
  }
  return found;
}

Result<std::vector<std::uint64_t>> ListSegments(LogFiles& files) {
  MAYFLY_TRY(const std::vector<std::string> names, files.List());
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : names) {
    if (const auto number = SegmentNumber(name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<std::vector<FoundSegment>> FindSegments(LogFiles& files) {
  MAYFLY_TRY(const std::vector<std::uint64_t> numbers, ListSegments(files));
  std::vector<FoundSegment> found;
  for (const std::uint64_t number : numbers) {
    MAYFLY_TRY(const std::unique_ptr<LogFile> file, files.Open(SegmentName(number)));
    MAYFLY_TRY(const std::string bytes, file->Read(0, kSegmentHeaderBytes));
    found.push_back(SegmentFoundIn(files, number, bytes));
  }
  return found;
}

}  // namespace mayfly::engine::hot
