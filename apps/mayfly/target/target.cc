#include "apps/mayfly/target/target.h"

#include <fmt/format.h>

#include "apps/mayfly/target/directory_target.h"
#include "apps/mayfly/target/server_target.h"

namespace mayfly::app {

std::size_t TargetRow::bytes() const {
  std::size_t sum = value.size();
  if (!collection) return sum;
  for (const auto& element : collection->elements) sum += element.size();
  for (const auto& field : collection->fields) sum += field.name.size() + field.value.size();
  for (const auto& one : collection->scores) sum += one.name.size() + sizeof(one.score);
  for (const auto& entry : collection->entries) {
    sum += sizeof(entry.id);
    for (const auto& [name, text] : entry.fields) sum += name.size() + text.size();
  }
  return sum;
}

TargetRow StreamWithMaxAge(std::string key, std::optional<WallTime> deadline) {
  TargetRow row{.key = std::move(key), .value = {}, .deadline = deadline};
  row.type = types::NameOf(types::ValueType::kStream);
  return row;
}

TargetRow WholeRow(std::string key, std::optional<WallTime> deadline, server::DumpedValue value) {
  TargetRow row{.key = std::move(key), .value = std::move(value.text), .deadline = deadline};
  row.type = types::NameOf(value.type);
  if (value.type != types::ValueType::kString) row.collection = std::move(value);
  return row;
}

Result<std::unique_ptr<Target>> OpenTarget(const TargetFlags& flags, Access access) {
  return IsUrl(flags.target) ? ServerTarget::Open(flags) : OpenDirectory(flags, access);
}

}  // namespace mayfly::app
