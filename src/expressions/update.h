// update.h - UpdateExpression: SET, REMOVE, ADD and DELETE.
//   SET a = :v, b.c[1] = if_not_exists(b.c[1], :z) + :n, l = list_append(l, :more)
//   REMOVE a, l[2]     ADD n :by, set :members     DELETE set :members
// All operands are read from the item before: the order of clauses does not matter.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "expressions/syntax/arguments.h"
#include "expressions/syntax/path.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

struct UpdatePlan;  // In update_plan.h.

class Update {
 public:
  // Invalid, with DynamoDB's texts ("Invalid UpdateExpression: ..."): grammar, repeated clauses,
  // paths that overlap or conflict, types that can never fit.
  static Result<Update> Parse(std::string_view text, Arguments& arguments);

  Update(Update&&) noexcept;
  Update& operator=(Update&&) noexcept;
  ~Update();

  // The item after it. Invalid, with DynamoDB's texts, when the item does not fit: an operand is
  // missing or of a wrong type, or a path has no parent.
  Result<Item> Apply(const Item& before) const;

  // First steps of the paths it changes: keys must not be among them.
  std::set<std::string> Attributes() const;

  // Whether it only removes, by REMOVE and DELETE: then it creates no item where none exists.
  bool OnlyTakes() const;

  // The changed parts of an item before or after it: for UPDATED_OLD and UPDATED_NEW.
  Item Touched(const Item& item) const;

 private:
  explicit Update(std::unique_ptr<const UpdatePlan> plan);

  std::unique_ptr<const UpdatePlan> plan_;
};

}  // namespace mayfly::expressions
