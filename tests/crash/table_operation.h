// table_operation.h - an operation on tables, derived from a seed and a number alone.
// Three tables of the form of "posts" (tests/tables/tables_home.h): "posts" and "brief", whose
// items die exactly, and "swept", whose items stay until a sweep. An operation on a table that does
// not exist changes nothing. Items may have two instants, "expires" and "ends"; a table uses the
// first until it is changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly::crash {

// The key of an item of these tables.
Item KeyOf(const Item& item);

struct TableOperation {
  // Changes of tables first, upkeep last: the code below compares ranges.
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

  // The write of one item.
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
  // kChangeTtl: both at once, with the changes of all items that follow. Afterwards the items have
  // the deadlines of the new description; no time passes meanwhile.
  std::string ttl_attribute = {};
  TtlMode ttl_mode = TtlMode::kExact;

  bool ChangesTable() const { return kind <= Kind::kChangeTtl; }

  // Whether repeating it after an interruption has the same result as doing it once.
  bool MayBeRepeated() const {
    return kind >= Kind::kPurge || kind == Kind::kChangeTtl || !token.empty();
  }
};

WallTime InstantOf(std::uint64_t number);
TableOperation OperationOf(std::uint64_t seed, std::uint64_t number);

TableSpec SpecOf(const std::string& table);

// The index that comes and goes.
IndexSpec ByTitle();

// Ok also when the table exists, or does not, so that the operation changes nothing.
Status Perform(const TableOperation& operation, Database& database, Tables& tables);

}  // namespace mayfly::crash
