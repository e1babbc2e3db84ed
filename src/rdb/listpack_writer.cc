#include "rdb/listpack_writer.h"

#include <algorithm>

#include "base/coding.h"
#include "wire/decimal.h"

namespace mayfly::rdb {
namespace {

constexpr std::size_t kHeaderBytes = 6;
constexpr std::size_t kCountMax = 65535;

std::string Low(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
  return out;
}

bool Fits(std::int64_t number, int bits) {
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return number >= -half && number < half;
}

// Seven bits in each byte, the most significant first; all but the first have the high bit.
void AppendBackwardsLength(std::string& out, std::size_t length) {
  std::string reversed;
  for (; length > 127; length >>= 7) reversed.push_back(static_cast<char>((length & 127) | 128));
  out.push_back(static_cast<char>(length));
  out.append(reversed.rbegin(), reversed.rend());
}

}  // namespace

void ListpackWriter::Append(Bytes head, Bytes data) {
  elements_ += head;
  elements_ += data;
  AppendBackwardsLength(elements_, head.size() + data.size());
  ++count_;
}

void ListpackWriter::Number(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  if (number >= 0 && number < 128) return Append(Low(bits, 1), {});
  if (Fits(number, 13)) {
    const std::string code = {static_cast<char>(0xc0 | ((bits >> 8) & 0x1f)),
                              static_cast<char>(bits & 0xff)};
    return Append(code, {});
  }
  if (Fits(number, 16)) return Append("\xf1", Low(bits, 2));
  if (Fits(number, 24)) return Append("\xf2", Low(bits, 3));
  if (Fits(number, 32)) return Append("\xf3", Low(bits, 4));
  Append("\xf4", Low(bits, 8));
}

void ListpackWriter::Text(Bytes text) {
  std::int64_t number = 0;
  const std::size_t size = text.size();
  if (ReadInteger(text, number)) {
    Number(number);
  } else if (size < 64) {
    Append(Low(0x80 | size, 1), text);
  } else if (size < 4096) {
    Append(Low(0xe0 | (size >> 8), 1) + Low(size, 1), text);
  } else {
    Append("\xf0" + Low(size, 4), text);
  }
}

std::string ListpackWriter::Whole() const {
  std::string out = Low(kHeaderBytes + elements_.size() + 1, 4);
  out += Low(std::min(count_, kCountMax), 2);
  out += elements_;
  out.push_back('\xff');
  return out;
}

}  // namespace mayfly::rdb
