// rdb_writer.h - writes an RDB file in the plain forms that every Redis since 5 reads.
// The caller encodes values (server/dump/dump_payload.h), and this file puts the rest around them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "rdb/rdb_types.h"

namespace mayfly::rdb {

void AppendLength(std::string& out, std::uint64_t length);

// Numbers of up to 32 bits are written as such: then Redis' own dump has the same bytes.
void AppendString(std::string& out, Bytes text);

// Makes the bytes of a file, piece by piece: Take() returns those since the last call of it.
//   Writer(version), then Database() and Key() in any order, then End()
class Writer {
 public:
  // `version`: of the file; kRdbVersion, or kRdbVersionWithFieldDeadlines.
  explicit Writer(int version);

  void Aux(Bytes name, Bytes value);
  void Function(Bytes text);  // A library of functions.
  void Database(int number);  // Of the keys behind it.

  // `value`: its type, and its bytes.
  void Key(Bytes name, std::optional<WallTime> deadline, Bytes value);

  // As Key(), for a value that is appended to out() piece by piece.
  void KeyHead(Bytes name, std::optional<WallTime> deadline, RdbType type);
  std::string& out() { return out_; }
  void End();

  std::string Take();
  std::size_t size() const { return out_.size(); }

 private:
  std::string out_;
  std::uint64_t checksum_ = 0;  // Of what was taken.
};

}  // namespace mayfly::rdb
