// reply_parser.h - parses the replies of a server: RESP2 and RESP3, told apart by their first byte.
// Bytes come in pieces of any size; the same bytes give the same replies however they are cut.
// Stricter than most clients, since tests rely on it: line breaks are \r\n and nothing else, counts
// have no leading zero, a push lies within nothing. RESP3's streamed strings and aggregates ($?,
// *?, %?, ~?), which Redis 7.0 never sends, are refused as Unsupported.
//
// Invariants: (1) An error is final. (2) Memory follows the bytes that arrived and not their
// announcements beyond kAnnouncedBytesMax and kAnnouncedValuesMax. (3) No recursion on input. One
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "wire/byte_buffer.h"
#include "wire/limits.h"
#include "wire/reply.h"

namespace mayfly {

class ReplyParser {
 public:
  explicit ReplyParser(const ReplyLimits& limits = {}) : limits_(limits) {}

  void Feed(Bytes bytes) { buffer_.Append(bytes); }

  // The next complete reply, or nothing when more bytes are needed. Corruption when the bytes are
  // malformed, Unsupported when the reply is of a kind that is not supported, Invalid when they
  // exceed a limit; the same again from every later call.
  Result<std::optional<Reply>> Next();

  // Bytes that arrived and have not been parsed.
  std::size_t buffered_bytes() const { return buffer_.size(); }

 private:
  // An aggregate that waits for its items.
  struct Frame {
    Reply reply;
    std::size_t items_left = 0;
    bool is_attribute = false;
    Reply::Items attributes;  // For the next item.
  };
  enum class Step : std::uint8_t { kValue, kOpened, kShort };

  Result<std::optional<Reply>> ReadReply();
  Result<Step> ReadOne(Reply& value);
  Result<Step> ReadPayload(Reply& value);
  Result<Step> ReadText(Reply::Kind kind, Bytes line, Reply& value);
  Result<Step> BeginBulk(Reply::Kind kind, Bytes line, Reply& value);
  Result<Step> BeginAggregate(char marker, Bytes line, Reply& value);
  Result<Step> Open(Reply::Kind kind, std::size_t items, bool is_attribute);
  std::optional<Reply> Close(Reply value);
  Result<std::optional<Bytes>> TakeLine();
  Status Count(std::size_t wire_bytes);
  Reply::Items& attributes() { return stack_.empty() ? attributes_ : stack_.back().attributes; }

  const ReplyLimits limits_;
  Status error_;  // Ok until a call fails.
  ByteBuffer buffer_;
  std::size_t scanned_ = 0;  // Bytes at the front known to hold no end of line.

  // Of the reply being read.
  std::vector<Frame> stack_;
  Reply::Items attributes_;  // For the reply itself.
  std::size_t values_ = 0;
  std::size_t wire_bytes_ = 0;
  std::optional<Reply::Kind> payload_kind_;  // Of the bulk whose bytes come next.
  std::size_t payload_bytes_ = 0;
};

}  // namespace mayfly
