#include "wire/reply_writer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "wire/decimal.h"

namespace mayfly {
namespace {

constexpr char kLineBreak[] = {'\r', '\n'};
constexpr std::size_t kFramingBytesMax = 1 + kDecimalBytesMax + 2;
constexpr std::size_t kVerbatimFormatBytes = 3;

char* WriteLineBreak(char* out) {
  std::memcpy(out, kLineBreak, sizeof(kLineBreak));
  return out + sizeof(kLineBreak);
}

char* WriteSize(char* out, char marker, std::uint64_t size) {
  *out = marker;
  return WriteLineBreak(WriteCount(out + 1, size));
}

char* WriteBytes(char* out, Bytes bytes) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

bool IsLineBreak(char c) { return c == '\r' || c == '\n'; }

}  // namespace

void ReplyWriter::Line(char marker, Bytes text) {
  while (!text.empty() && IsLineBreak(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsLineBreak(text.back())) text.remove_suffix(1);
  char* const start = out_.Reserve(text.size() + 3);
  *start = marker;
  char* const end = WriteBytes(start + 1, text);
  std::replace_if(start + 1, end, IsLineBreak, ' ');
  out_.Commit(static_cast<std::size_t>(WriteLineBreak(end) - start));
}

void ReplyWriter::Sized(char marker, Bytes bytes) {
  char* const start = out_.Reserve(bytes.size() + kFramingBytesMax + 2);
  char* const end = WriteLineBreak(WriteBytes(WriteSize(start, marker, bytes.size()), bytes));
  out_.Commit(static_cast<std::size_t>(end - start));
}

void ReplyWriter::Integer(std::int64_t value) {
  char* const start = out_.Reserve(kFramingBytesMax);
  *start = ':';
  char* const end = WriteLineBreak(WriteInteger(start + 1, value));
  out_.Commit(static_cast<std::size_t>(end - start));
}

void ReplyWriter::Null() { Literal(resp3() ? "_\r\n" : "$-1\r\n"); }

void ReplyWriter::NullArray() { Literal(resp3() ? "_\r\n" : "*-1\r\n"); }

void ReplyWriter::Double(double value) {
  char text[kDecimalBytesMax];
  DoubleText(Bytes(text, static_cast<std::size_t>(WriteDouble(text, value) - text)));
}

void ReplyWriter::DoubleText(Bytes digits) {
  if (!resp3()) return Bulk(digits);
  Line(',', digits);
}

void ReplyWriter::Boolean(bool value) {
  if (resp3()) {
    Literal(value ? "#t\r\n" : "#f\r\n");
  } else {
    Literal(value ? ":1\r\n" : ":0\r\n");
  }
}

void ReplyWriter::BigNumber(Bytes digits) {
  if (!resp3()) return Bulk(digits);
  Line('(', digits);
}

void ReplyWriter::Verbatim(Bytes format, Bytes text) {
  if (!resp3()) return Bulk(text);
  MAYFLY_CHECK(format.size() == kVerbatimFormatBytes, "a verbatim format has three characters");
  const std::size_t bytes = kVerbatimFormatBytes + 1 + text.size();
  char* const start = out_.Reserve(bytes + kFramingBytesMax + 2);
  char* end = WriteBytes(WriteSize(start, '=', bytes), format);
  *end++ = ':';
  end = WriteLineBreak(WriteBytes(end, text));
  out_.Commit(static_cast<std::size_t>(end - start));
}

void ReplyWriter::BulkError(Bytes text) {
  if (!resp3()) return Error(text);
  Sized('!', text);
}

void ReplyWriter::Begin(Aggregate kind, std::size_t size) {
  char* const start = out_.Reserve(kFramingBytesMax);
  out_.Commit(static_cast<std::size_t>(WriteHeader(start, kind, size) - start));
}

char* ReplyWriter::WriteHeader(char* out, Aggregate kind, std::size_t size) const {
  constexpr char kMarkers[] = {'*', '%', '~', '>', '|'};  // By Aggregate.
  if (resp3()) return WriteSize(out, kMarkers[static_cast<std::size_t>(kind)], size);
  MAYFLY_CHECK(kind != Aggregate::kAttribute, "RESP2 has no attributes");
  return WriteSize(out, '*', kind == Aggregate::kMap ? 2 * size : size);
}

ReplyWriter::Deferred ReplyWriter::BeginDeferred(Aggregate kind) {
  const Deferred deferred(kind, out_.end_offset());
  Begin(kind, 0);
  return deferred;
}

void ReplyWriter::EndDeferred(const Deferred& deferred, std::size_t size) {
  // The header of an empty aggregate is the placeholder: one digit, which most sizes fit.
  constexpr std::size_t kEmptyHeaderBytes = 4;
  char header[kFramingBytesMax];
  const char* const end = WriteHeader(header, deferred.kind_, size);
  out_.Replace(deferred.offset_, kEmptyHeaderBytes,
               Bytes(header, static_cast<std::size_t>(end - header)));
}

}  // namespace mayfly
