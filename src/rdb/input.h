// input.h - reads the elements of Redis' dumps, from memory or as they arrive.
//   length  | 00llllll |, | 01llllll llllllll |, | 0x80 | u32 |, | 0x81 | u64 |, big endian
//   string  | length | bytes |, | 0xc0, 0xc1 or 0xc2 | i8, i16 or i32, little endian |,
//           | 0xc3 | length packed | length | LZF |
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::rdb {

// Where the bytes of a dump come from: a file, a connection.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Puts at least a byte and at most `bytes_max` to `to`; waits for them. 0: the end.
  virtual Result<std::size_t> Read(char* to, std::size_t bytes_max) = 0;
};

// Consumes from the front. Every call returns false when the bytes are too few or malformed, or
// take more memory than the budget; status() says which, and the input must not be used again.
// Memory follows the bytes that arrive, not the lengths that are announced.
class Input {
 public:
  // `budget`: bytes of memory that all strings may take together. Borrows the bytes.
  Input(Bytes bytes, std::uint64_t budget) : in_(bytes), filled_(bytes.size()), budget_(budget) {}

  // The source must outlive it. Here `budget` holds for one element of a value at a time.
  Input(ByteSource& source, std::uint64_t budget);

  // Corruption, with the offset; IoError and others as the source, or a caller of Fail(), gave it.
  const Status& status() const { return status_; }

  // Whether the budget made a call fail.
  bool passed_budget() const { return passed_budget_; }

  // Ends the input with an error of the caller; and with one about the bytes. Both return false.
  bool Fail(Status status);
  bool Malformed(const char* what);
  bool Take(Status status) { return status.ok() || Fail(std::move(status)); }

  // Counts the memory of what a caller builds from the bytes, beside the strings that are read
  // here; Refund() takes it back.
  [[nodiscard]] bool Charge(std::uint64_t bytes);
  void Refund(std::uint64_t bytes) { budget_ += bytes; }
  std::uint64_t budget() const { return budget_; }

  // Between the elements of a value: those before are not in memory any more, if they are handed
  // on one by one.
  void BeginElement() {
    if (source_ != nullptr) budget_ = element_budget_;
  }

  // Of bytes consumed; and the checksum of them, for an input with a source.
  std::uint64_t offset() const { return before_ + (filled_ - in_.size()); }
  std::uint64_t Checksum();

  // Whether memory is used up. An input with a source does not know its end.
  bool AtEnd() const { return in_.empty(); }

  // Bytes that were taken from the source and are not consumed.
  Bytes rest() const { return in_; }

  [[nodiscard]] bool Byte(std::uint8_t& byte);
  [[nodiscard]] bool Length(std::uint64_t& length);

  // A length that counts elements of at least a byte each.
  [[nodiscard]] bool Count(std::uint64_t& count);

  [[nodiscard]] bool String(std::string& text);
  [[nodiscard]] bool Raw(std::uint64_t bytes, std::string& raw);
  [[nodiscard]] bool Int32(std::int32_t& number);
  [[nodiscard]] bool Int64(std::int64_t& number);
  [[nodiscard]] bool Uint64BigEndian(std::uint64_t& number);

  // Eight bytes; or, as older dumps have it, decimal digits. nan is malformed.
  [[nodiscard]] bool Double(double& number);
  [[nodiscard]] bool DecimalDouble(double& number);

 private:
  bool LengthOrEncoding(std::uint64_t& length, bool& is_encoding);
  bool Encoded(std::uint64_t encoding, std::string& text);
  bool Need(std::size_t bytes);  // At most kBufferBytes.
  bool Fixed(std::size_t bytes, Bytes& raw);
  bool Fill();
  void SumUp();

  ByteSource* const source_ = nullptr;  // Null: all bytes are in memory.
  const std::uint64_t element_budget_ = 0;
  std::string buffer_;        // Of a source.
  Bytes in_;                  // What is left, of the buffer or of the caller's bytes.
  std::size_t filled_ = 0;    // in_ at its largest; what is missing of it is consumed.
  std::size_t summed_ = 0;    // Of these, bytes that are part of the checksum.
  std::uint64_t before_ = 0;  // Consumed before the buffer was filled.
  std::uint64_t checksum_ = 0;
  std::uint64_t budget_;  // What is left of it.
  bool passed_budget_ = false;
  Status status_;
};

// What a string takes that is kept in a list: more than its bytes.
inline constexpr std::uint64_t kStringBytes = sizeof(std::string);

// Of one string; as types::kStringBytesMax.
inline constexpr std::uint64_t kStringBytesMax = std::uint64_t{512} << 20;

}  // namespace mayfly::rdb
