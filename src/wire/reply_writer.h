// reply_writer.h - writes replies in the connection's protocol version.
//             RESP2                    RESP3
//   null      $-1, or *-1 for arrays   _
//   map       array of 2n              %n
//   set, push array                    ~n, >n
//   double    bulk string              ,x      17 digits, as Redis 7.0; see decimal.h
//   boolean   :1 :0                    #t #f
//   big number, verbatim: bulk string  (n, =n
// A reply is written by one call, an aggregate by its header and as many replies as it announces (a
// map's: twice as many). The caller must make the numbers agree. Not safe to share between threads;
// borrows its buffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/bytes.h"
#include "wire/byte_buffer.h"

namespace mayfly {

// Bytes to be sent. A server bounds its size().
using OutputBuffer = ByteBuffer;

enum class ProtocolVersion : std::uint8_t { kResp2 = 2, kResp3 = 3 };

enum class Aggregate : std::uint8_t { kArray, kMap, kSet, kPush, kAttribute };

class ReplyWriter {
 public:
  ReplyWriter(OutputBuffer& out, ProtocolVersion version) : out_(out), version_(version) {}

  ProtocolVersion version() const { return version_; }

  // One line. Line breaks at its ends are dropped, those within become blanks: a text cannot end
  // the reply early. An error's text begins with its code, as in "ERR no such key".
  void SimpleString(Bytes text) { Line('+', text); }
  void Error(Bytes text) { Line('-', text); }

  void Ok() { Literal("+OK\r\n"); }
  void Integer(std::int64_t value);
  void Bulk(Bytes bytes) { Sized('$', bytes); }
  void Null();
  void NullArray();
  void Double(double value);

  // A double that the caller has written, with other digits than Double() would.
  void DoubleText(Bytes digits);

  void Boolean(bool value);

  // `digits`: a decimal integer of any size, with an optional '-'.
  void BigNumber(Bytes digits);

  // `format`: three characters, such as "txt" or "mkd".
  void Verbatim(Bytes format, Bytes text);

  // An error that may hold line breaks; in RESP2 an Error. Redis 7.0 sends none.
  void BulkError(Bytes text);

  // `size` counts elements, for maps and attributes pairs. An attribute precedes its reply and is
  // RESP3's alone: in RESP2 it must not be written.
  void Begin(Aggregate kind, std::size_t size);
  void Array(std::size_t size) { Begin(Aggregate::kArray, size); }
  void Map(std::size_t size) { Begin(Aggregate::kMap, size); }
  void Set(std::size_t size) { Begin(Aggregate::kSet, size); }
  void Push(std::size_t size) { Begin(Aggregate::kPush, size); }

  // Replies that another writer of the same version has written.
  void Written(Bytes replies) { Literal(replies); }

  // An aggregate whose size is known when its last element is written. They may be nested; each is
  // ended once, and before the bytes from its header on are sent.
  class Deferred {
    friend class ReplyWriter;
    Deferred(Aggregate kind, std::uint64_t offset) : kind_(kind), offset_(offset) {}
    Aggregate kind_;
    std::uint64_t offset_;
  };
  [[nodiscard]] Deferred BeginDeferred(Aggregate kind);
  void EndDeferred(const Deferred& deferred, std::size_t size);

 private:
  bool resp3() const { return version_ == ProtocolVersion::kResp3; }
  void Line(char marker, Bytes text);
  void Sized(char marker, Bytes bytes);
  void Literal(Bytes bytes) { out_.Append(bytes); }
  char* WriteHeader(char* out, Aggregate kind, std::size_t size) const;

  OutputBuffer& out_;
  const ProtocolVersion version_;
};

}  // namespace mayfly
