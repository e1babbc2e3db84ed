// listpack_writer.h - builds a listpack, the packed list of Redis since 7.0.
//   | bytes u32 | elements u16 | each: code, data, length of both backwards | 0xff |
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::rdb {

class ListpackWriter {
 public:
  void Number(std::int64_t number);

  // A decimal number in its shortest form is stored as one.
  void Text(Bytes text);

  // Of the elements so far.
  std::size_t size() const { return elements_.size(); }

  std::string Whole() const;

 private:
  void Append(Bytes head, Bytes data);

  std::string elements_;
  std::size_t count_ = 0;
};

}  // namespace mayfly::rdb
