#include "dynamo/operations/operations.h"

#include <map>
#include <string>

#include "base/check.h"

namespace mayfly::dynamo {
namespace {

std::map<std::string, const Operation*, std::less<>> ByTarget() {
  std::map<std::string, const Operation*, std::less<>> by_target;
  for (const Operation& operation : AllOperations()) {
    const std::string target = std::string(operation.prefix) + "." + std::string(operation.name);
    MAYFLY_CHECK(by_target.emplace(target, &operation).second, "two operations of one name");
  }
  return by_target;
}

}  // namespace

const std::vector<Operation>& AllOperations() {
  static const std::vector<Operation> kAll = [] {
    std::vector<Operation> all;
    for (const auto& family :
         {TableOperations(), ItemOperations(), BatchOperations(), ReadOperations(),
          TransactionOperations(), StatementOperations(), TtlOperations(), TagOperations(),
          StreamOperations(), ServiceOperations()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return kAll;
}

const Operation* FindOperation(std::string_view target) {
  static const auto kByTarget = ByTarget();
  const auto found = kByTarget.find(target);
  return found == kByTarget.end() ? nullptr : found->second;
}

}  // namespace mayfly::dynamo
