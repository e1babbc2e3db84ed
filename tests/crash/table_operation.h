// table_operation.h - what a process does with tables, told from a seed and a number alone.
// Three tables of the form of "posts" (tests/tables/tables_home.h): "posts" and "brief", whose
// items die exactly, and "swept", whose items stay until a sweep. Operations go on whether their
// table is there or not; what then happens is nothing. Items may have two instants, "expires" and
// "ends"; a table goes by the first until it is changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly::crash {

struct TableOperation {
  // Changes of tables first, upkeep last: ranges of them are asked for below.
  enum class Kind : std::uint8_t {
    kCreate,
    kDrop,
    kAddIndex,
    kDropIndex,
    kBeginStream,
    kEndStream,
    kChangeTtl,
    kWrite,
    kSetTtl,
    kPurge,
    kSweep,
    kUpkeep,
  };

  // What becomes of one item.
  struct Write {
    enum class Kind : std::uint8_t { kPut, kUpdate, kDelete };
    Kind kind = Kind::kPut;
    std::string table;
    Item key;
    Item set;                               // A put: the whole item. An update: what it sets.
    std::vector<std::string> removed = {};  // An update.
    std::optional<Number> add = {};         // An update: to "n".
  };

  Kind kind = Kind::kWrite;
  std::string table;
  std::vector<Write> writes = {};  // kWrite. Several: a transaction.
  std::string token = {};          // Of the transaction.
  Item key = {};                   // kSetTtl.
  Millis ttl = {};                 // kSetTtl.
  // kChangeTtl: both at once, and all that follows from it for the items. They are as the new
  // description has them when it is done, and no time passes meanwhile.
  std::string ttl_attribute = {};
  TtlMode ttl_mode = TtlMode::kExact;

  bool ChangesTable() const { return kind <= Kind::kChangeTtl; }

  // Whether doing it again after a half comes to the same as doing it once.
  bool MayBeRepeated() const {
    return kind >= Kind::kPurge || kind == Kind::kChangeTtl || !token.empty();
  }
};

WallTime InstantOf(std::uint64_t number);
TableOperation OperationOf(std::uint64_t seed, std::uint64_t number);

TableSpec SpecOf(const std::string& table);

// The index that comes and goes.
IndexSpec ByTitle();

// Ok also when the table is, or is not, there and the operation comes to nothing.
Status Perform(const TableOperation& operation, Database& database, Tables& tables);

}  // namespace mayfly::crash
