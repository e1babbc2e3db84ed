// row_format.h - rows as lines of JSON or CSV, both ways, whatever their bytes are.
//   jsonl  an object per line, of strings and collections: see json_rows.h
//   csv    key,value,deadline,encoding, titles first, in any order when read. `encoding` is base64
//          for a row in which key or value is not UTF-8, and otherwise empty. Strings only.
// A deadline is milliseconds since the epoch; when read, an instant such as 2030-01-01T12:00:00Z,
// too.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "apps/mayfly/target/target.h"

namespace mayfly::app {

enum class RowFormat : std::uint8_t { kJsonLines, kCsv };

// The line of titles; empty for JSON.
std::string TitleLine(RowFormat format);

bool HoldsCollections(RowFormat format);

// With its line break. A format that holds no collections must not be given one.
std::string LineOf(RowFormat format, const TargetRow& row);

// Reads rows from a file, which must outlive it.
class RowReader {
 public:
  static std::unique_ptr<RowReader> New(RowFormat format, std::FILE* file);
  virtual ~RowReader() = default;

  // The next row; nothing at the end. Invalid names the line.
  virtual Result<std::optional<TargetRow>> Next() = 0;

  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t line() const { return line_; }  // Of the last row's end, from 1.

 protected:
  // The next line without its break, the first one without a byte order mark. False at the end,
  // and when the file cannot be read.
  bool ReadLine(std::FILE* file, std::string& line);

  std::uint64_t line_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace mayfly::app
