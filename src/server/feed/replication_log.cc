#include "server/feed/replication_log.h"

#include <algorithm>

#include "base/check.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

}  // namespace

void ReplicationLog::Reset(std::int64_t end) {
  blocks_.clear();
  end_ = end;
}

void ReplicationLog::Append(Bytes bytes) {
  while (!bytes.empty()) {
    if (blocks_.empty() || blocks_.back().bytes.size() >= kBlockBytes) {
      blocks_.push_back({end_, {}});
      blocks_.back().bytes.reserve(kBlockBytes);
    }
    std::string& last = blocks_.back().bytes;
    const std::size_t count = std::min(bytes.size(), kBlockBytes - last.size());
    last.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    end_ += static_cast<std::int64_t>(count);
  }
}

std::size_t ReplicationLog::Read(std::int64_t from, std::size_t bytes_max, ByteBuffer& out) const {
  MAYFLY_CHECK(from >= begin() && from <= end_, "an offset that the log does not keep");
  auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                    [&](const Block& one) { return one.end() <= from; });
  std::size_t read = 0;
  for (; block != blocks_.end() && read < bytes_max; ++block) {
    const auto skip = static_cast<std::size_t>(from - block->begin);
    const Bytes part = Bytes(block->bytes).substr(skip, bytes_max - read);
    out.Append(part);
    read += part.size();
    from += static_cast<std::int64_t>(part.size());
  }
  return read;
}

void ReplicationLog::Cut(std::int64_t first) {
  while (!blocks_.empty() && blocks_.front().end() <= first) blocks_.pop_front();
}

}  // namespace mayfly::server
