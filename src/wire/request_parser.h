// request_parser.h - parses the commands of a client, as Redis 7.0 does.
//   *2\r\n$3\r\nGET\r\n$1\r\nk\r\n     a list of arguments, binary safe
//   GET k\r\n                          an inline command: a line, split as in inline_command.h
// Bytes come in pieces of any size. The same bytes give the same commands and the same error
// however they are cut; where Redis lets that depend on the cut (a line may pass its limit if it
// arrives whole), the parser does what Redis does for bytes that arrive one by one.
//
// Kept from Redis on purpose: the two bytes after a count and after an argument are skipped
// unchecked; a zero byte hides what follows it from the search for a line's end, so such a line
// ends as "too big"; *0, *-1 and empty lines are no commands and no errors.
//
// Invariants: (1) An error is final: Next() keeps returning kError, after it has returned every
// command before it. (2) Memory follows the bytes that arrived, by a constant factor, and not their
// announcements beyond kAnnouncedBytesMax. (3) The time for n bytes is linear in n.
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "wire/byte_buffer.h"
#include "wire/limits.h"

namespace mayfly {

enum class RequestError : std::uint8_t {
  kNone,
  kInvalidMultibulkLength,
  kInvalidBulkLength,
  kExpectedDollar,
  kTooBigInline,
  kTooBigMultibulkCount,
  kTooBigBulkCount,
  kUnbalancedQuotes,
  kUnauthenticatedMultibulk,
  kUnauthenticatedBulk,
  kCommandTooBig,  // Redis closes the connection without a reply.
};

class RequestParser {
 public:
  enum class Outcome : std::uint8_t {
    kCommand,   // args() is the next command, of at least one argument.
    kNeedMore,  // All complete commands have been returned.
    kError,     // See error() and error_text(). No command follows.
  };

  // `limits.line_bytes_max` must be at least kLineBytesMin.
  explicit RequestParser(const RequestLimits& limits = {});

  // Room for bytes of the client, at least `bytes_min` of them: read() into it, then Commit() what
  // arrived. Within a large argument it reaches to the argument's end, so that its bytes are not
  // moved again. Valid until the next call of anything that is not const. Invalidates args().
  std::span<char> Prepare(std::size_t bytes_min);
  void Commit(std::size_t bytes) { buffer_.Commit(bytes); }

  // Prepare() and Commit() for bytes that lie elsewhere.
  void Feed(Bytes bytes);

  // Advances to the next command.
  Outcome Next();

  // The arguments of the command Next() found. The views are valid until the next call of Next(),
  // Prepare(), Feed() or Release(). The bytes they point to stay in place until Prepare(), Feed()
  // or Release(): a caller that copies the views may go on with Next().
  std::span<const Bytes> args() const { return args_; }

  RequestError error() const { return error_; }

  // The reply before the connection is closed, as in "ERR Protocol error: ...", without "-" and
  // line break. Empty if there is no error, or one without a reply.
  Bytes error_text() const { return error_text_; }

  // Whether the limits for unauthenticated clients apply. Changes what Next() reads from now on, so
  // an AUTH frees the command behind it in the same pipeline. Off at first.
  void set_unauthenticated(bool on) { unauthenticated_ = on; }

  // Bytes that arrived and are not yet part of a returned command; and bytes of memory held.
  std::size_t buffered_bytes() const { return buffer_.size(); }
  std::size_t memory_bytes() const { return buffer_.capacity() + args_.capacity() * sizeof(Bytes); }

  // Frees unused memory: for idle connections.
  void Release();

 private:
  // The result of an attempt to read on.
  enum class Step : std::uint8_t { kCommand, kNothing, kShort, kFailed };

  Step ReadOn();
  Step ReadInline();
  Step ReadMultibulk();
  Step ReadArguments();
  void ReadUsualArguments();
  Step ReadNumber(char marker, std::int64_t& value);
  Step ReadNumberSlowly(char marker, std::int64_t& value);
  Step CheckMultibulkLength(std::int64_t count);
  Step CheckBulkLength(std::int64_t bytes);
  Step FindLineEnd(char terminator, RequestError too_big, std::size_t& line_bytes);
  Step Finish();
  Step Fail(RequestError error, char got = ' ');
  void Forget();

  const RequestLimits limits_;
  bool unauthenticated_ = false;
  RequestError error_ = RequestError::kNone;
  std::string error_text_;

  ByteBuffer buffer_;         // Begins with the command being read.
  std::vector<Bytes> args_;   // Point into buffer_, or right before it if the command was returned.
  bool given_out_ = false;    // args_ belong to a returned command.
  std::size_t position_ = 0;  // In buffer_: the end of what is parsed.
  std::size_t scanned_ = 0;   // From position_: bytes known to hold no end of line.
  std::int64_t args_left_ = 0;    // Of a list whose count is known; 0 between commands.
  std::int64_t bulk_bytes_ = -1;  // Of the argument being read; -1 before its length is known.
  std::size_t needed_bytes_ = 0;  // In buffer_, for that argument; 0 if Next() waits for none.
};

}  // namespace mayfly
