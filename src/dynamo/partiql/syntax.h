// syntax.h - a parsed statement.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dynamo/partiql/tokens.h"

namespace mayfly::partiql {

// An attribute, and steps into maps and lists. The first step is a name.
using PathStep = std::variant<std::string, std::size_t>;
using Path = std::vector<PathStep>;

// A value, an attribute, or an operation on such: all that stands in WHERE, SET and VALUE.
struct Term {
  enum class Kind : unsigned char {
    kString,
    kNumber,
    kTrue,
    kFalse,
    kNull,
    kMissing,
    kParameter,
    kPath,
    kList,   // [ ... ]
    kBag,    // << ... >>
    kTuple,  // { 'name': ... }; `names` has one name for each child.
    kCall,   // text: the function, in lower case.
    kSum,    // text: + or -
    kComparison,
    kBetween,
    kIn,  // The second child is a list, or a parameter that is one.
    kIsNull,
    kIsMissing,
    kIsType,
    kNot,
    kAnd,
    kOr,
  };
  Kind kind = Kind::kNull;
  std::string text = {};
  Path path = {};
  std::size_t parameter = 0;  // From 0.
  std::vector<Term> children = {};
  std::vector<std::string> names = {};
  Position position = {};
};

struct TablePath {
  std::string table;
  std::string index;  // Empty: the table itself.
};

struct SelectStatement {
  struct Order {
    std::string attribute;
    bool descending = false;
  };
  std::vector<Path> projection;  // Empty: everything.
  TablePath from;
  std::optional<Term> where;
  std::vector<Order> order;
};

struct InsertStatement {
  TablePath into;
  Term value;
};

// What a statement asks to be returned: RETURNING ALL|MODIFIED OLD|NEW *.
struct Returning {
  bool all = false;
  bool old = false;
};

struct UpdateStatement {
  struct Assignment {
    Path path;
    std::optional<Term> value;  // Nothing: REMOVE.
  };
  TablePath table;
  std::vector<Assignment> assignments;
  std::optional<Term> where;
  std::optional<Returning> returning;
};

struct DeleteStatement {
  TablePath from;
  std::optional<Term> where;
  std::optional<Returning> returning;
};

// EXISTS(SELECT ...), which stands in transactions alone.
struct ExistsStatement {
  SelectStatement select;
};

struct Statement {
  std::variant<SelectStatement, InsertStatement, UpdateStatement, DeleteStatement, ExistsStatement>
      what;
  std::size_t parameters = 0;  // How many it has.
};

}  // namespace mayfly::partiql
