#include "server/follow/follow_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr const char* kNoId = "-";

std::vector<Bytes> Words(Bytes text) {
  std::vector<Bytes> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

std::string EncodePosition(const FollowPosition& position) {
  if (position.left) return fmt::format("left 1 {} {}", position.host, position.port);
  return fmt::format("follow 1 {} {} {} {} {} {}", position.host, position.port,
                     position.replication_id.empty() ? kNoId : position.replication_id,
                     position.offset, position.database, ToMs(position.judged_at));
}

Result<FollowPosition> DecodePosition(Bytes text) {
  constexpr std::size_t kWordsOfLeft = 4;
  constexpr std::size_t kWords = 8;
  const auto wrong = [] {
    return Status::Corruption("the position of the follower is unreadable");
  };
  const std::vector<Bytes> words = Words(text);
  FollowPosition position;
  if (words.size() < kWordsOfLeft || words[1] != "1") return wrong();
  position.left = words[0] == "left";
  if (words.size() != (position.left ? kWordsOfLeft : kWords)) return wrong();
  if (!position.left && words[0] != "follow") return wrong();
  std::int64_t port = 0;
  std::int64_t database = 0;
  std::int64_t judged_ms = 0;
  position.host = words[2];
  if (!ReadInteger(words[3], port)) return wrong();
  position.port = static_cast<int>(port);
  if (position.left) return position;
  if (words[4] != kNoId) position.replication_id = words[4];
  if (!ReadInteger(words[5], position.offset) || !ReadInteger(words[6], database) ||
      !ReadInteger(words[7], judged_ms)) {
    return wrong();
  }
  position.database = static_cast<int>(database);
  position.judged_at = WallTimeFromMs(judged_ms);
  return position;
}

}  // namespace mayfly::server
