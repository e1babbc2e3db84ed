#include "tables/schema/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "items/item_key.h"
#include "tables/schema/item_limits.h"
#include "tables/schema/key_check.h"

namespace mayfly::tables {
namespace {

Status NotTheSchema() {
  return Status::Invalid("The provided key element does not match the schema");
}

// The value of a key attribute among those of a key.
Result<const AttributeValue*> KeyValueOf(const KeyAttribute& attribute, const Item& key,
                                         bool partition) {
  const auto found = key.find(attribute.name);
  if (found == key.end() || found->second.type() != TypeOf(attribute.type)) return NotTheSchema();
  MAYFLY_RETURN_IF_ERROR(CheckKeyValue(attribute, found->second, partition));
  return &found->second;
}

// The same among those of a whole item.
Result<const AttributeValue*> ItemValueOf(const KeyAttribute& attribute, const Item& item,
                                          bool partition) {
  const auto found = item.find(attribute.name);
  if (found == item.end()) {
    return Status::Invalid(
        fmt::format("One or more parameter values were invalid: Missing the key {} in the item",
                    attribute.name));
  }
  if (found->second.type() != TypeOf(attribute.type)) {
    return Status::Invalid(fmt::format(
        "One or more parameter values were invalid: Type mismatch for key {} expected: "
        "{} actual: {}",
        attribute.name, NameOf(attribute.type), AttributeTypeName(found->second.type())));
  }
  MAYFLY_RETURN_IF_ERROR(CheckKeyValue(attribute, found->second, partition));
  return &found->second;
}

using ValueOf = Result<const AttributeValue*>(const KeyAttribute&, const Item&, bool);

Result<std::string> KeyWith(const Table& table, const Item& from, ValueOf& value_of) {
  MAYFLY_TRY(const AttributeValue* partition, value_of(table.spec.partition, from, true));
  if (!table.spec.sort) return items::ItemKey(*partition, nullptr);
  MAYFLY_TRY(const AttributeValue* sort, value_of(*table.spec.sort, from, false));
  return items::ItemKey(*partition, sort);
}

// Seconds to milliseconds, of a number in its normal form. Fractions of a millisecond are rounded
// up: an item does not die before its instant. Nothing: out of range.
std::optional<WallTime> InstantOf(std::string_view seconds) {
  if (seconds.front() == '-') return kDeadlineFirst;
  const auto point =
      static_cast<std::size_t>(std::find(seconds.begin(), seconds.end(), '.') - seconds.begin());
  constexpr std::size_t kDigitsMax = 12;  // Of seconds up to the last deadline, and more.
  if (point > kDigitsMax) return std::nullopt;
  std::int64_t ms = 0;
  const auto append = [&](char digit) { ms = ms * 10 + (digit - '0'); };
  for (const char digit : seconds.substr(0, point)) append(digit);
  const std::string_view fraction =
      point < seconds.size() ? seconds.substr(point + 1) : std::string_view();
  for (std::size_t i = 0; i < 3; ++i) append(i < fraction.size() ? fraction[i] : '0');
  if (fraction.size() > 3) ++ms;  // The normal form ends with a digit that is not 0.
  const WallTime instant = WallTimeFromMs(ms);
  if (instant > kDeadlineLast) return std::nullopt;
  return std::max(instant, kDeadlineFirst);
}

}  // namespace

const Index* Table::FindIndex(const std::string& name) const {
  const auto found = std::find_if(indexes.begin(), indexes.end(),
                                  [&](const Index& index) { return index.spec.name == name; });
  return found == indexes.end() ? nullptr : &*found;
}

Result<std::string> KeyOf(const Table& table, const Item& key) {
  if (key.size() != (table.spec.sort ? 2U : 1U)) return NotTheSchema();
  return KeyWith(table, key, KeyValueOf);
}

Result<std::string> KeyOfItem(const Table& table, const Item& item) {
  return KeyWith(table, item, ItemValueOf);
}

Item KeyAttributesOf(const Table& table, const Index* index, const Item& item) {
  Item keys;
  const auto add = [&](const KeyAttribute& attribute) {
    const auto found = item.find(attribute.name);
    if (found != item.end()) keys.insert(*found);
  };
  add(table.spec.partition);
  if (table.spec.sort) add(*table.spec.sort);
  if (index != nullptr) {
    add(index->spec.partition);
    if (index->spec.sort) add(*index->spec.sort);
  }
  return keys;
}

std::optional<WallTime> DeadlineOf(const Table& table, const Item& item, WallTime now) {
  if (table.spec.ttl_attribute.empty()) return std::nullopt;
  const auto found = item.find(table.spec.ttl_attribute);
  if (found == item.end() || found->second.number() == nullptr) return std::nullopt;
  const std::string& seconds = found->second.number()->text();
  if (seconds == "0") return std::nullopt;
  const std::optional<WallTime> instant = InstantOf(seconds);
  if (instant && table.spec.ttl_mode == TtlMode::kUntilSwept && *instant < now - kForgottenAfter) {
    return std::nullopt;
  }
  return instant;
}

}  // namespace mayfly::tables
