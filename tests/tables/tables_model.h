// tables_model.h - the table "posts" as a plain map, with its own evaluation of conditions, ttl and
// indexes: the reference for tables.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/tables.h"

namespace mayfly {

// For messages.
std::string Describe(const Item& item);
std::string Describe(const std::optional<Item>& item);
std::string Describe(const std::vector<Item>& items);

// A condition in the forms of both sides.
struct ModelCondition {
  std::string text;
  ExpressionArguments arguments;
  std::function<bool(const Item&)> holds;  // A missing item counts as an empty one.
};

class TablesModel {
 public:
  TablesModel(TtlMode mode, WallTime now) : mode_(mode), now_(now) {}

  WallTime now() const { return now_; }
  void SetNow(WallTime now);

  // Applies a new ttl attribute and mode; in mode kExact the items that are dead by them are
  // removed.
  void SetTtl(const std::string& attribute, TtlMode mode);

  // Removes the items that a sweep would. In mode kExact there are none left.
  std::size_t Sweep();

  const Item* Find(const Item& key) const;
  void Put(const Item& item);
  bool Delete(const Item& key);

  // When the item dies, if it does.
  std::optional<WallTime> DeadlineOf(const Item& item) const;

  // Deadlines from now on.
  std::vector<WallTime> Deadlines() const;

  // All items, in the order of the table.
  std::vector<Item> All() const;

  // Those of a partition of the table or of an index, in its order: equal sort keys in the order of
  // the table.
  std::vector<Item> Partition(const std::string& index, const AttributeValue& partition) const;

  // As the index shows them.
  static Item Shown(const std::string& index, const Item& item);

 private:
  // As the table sorts it. The layout of keys has tests of its own.
  static std::string KeyOf(const Item& item);
  void DropDead();

  bool IsDead(const Item& item) const;

  TtlMode mode_;
  std::string ttl_attribute_ = "expires";
  WallTime now_;
  std::map<std::string, Item> items_;
};

}  // namespace mayfly
