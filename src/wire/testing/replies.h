// replies.h - what a parser made of some bytes, as a value to compare.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "wire/reply_parser.h"

namespace mayfly {

struct Replies {
  std::vector<Reply> replies;
  Status error;

  friend bool operator==(const Replies&, const Replies&) = default;
};

// Feeds the pieces, taking all replies after each.
inline Replies ParseReplies(const std::vector<Bytes>& pieces, const ReplyLimits& limits = {}) {
  Replies got;
  ReplyParser parser(limits);
  for (const Bytes piece : pieces) {
    parser.Feed(piece);
    while (true) {
      Result<std::optional<Reply>> reply = parser.Next();
      if (!reply) {
        got.error = reply.error();
        break;
      }
      if (!reply->has_value()) break;
      got.replies.push_back(*std::move(*reply));
    }
  }
  return got;
}

inline std::string WireOf(const Reply& reply, ProtocolVersion version) {
  OutputBuffer out;
  ReplyWriter writer(out, version);
  WriteReply(reply, writer);
  return std::string(out.view());
}

// As in RESP3, which has one null.
inline Reply WithOneNull(Reply reply) {
  if (reply.kind == Reply::Kind::kNullArray) reply.kind = Reply::Kind::kNull;
  for (Reply& attribute : reply.attributes) attribute = WithOneNull(std::move(attribute));
  if (auto* items = std::get_if<Reply::Items>(&reply.value)) {
    for (Reply& item : *items) item = WithOneNull(std::move(item));
  }
  return reply;
}

}  // namespace mayfly
