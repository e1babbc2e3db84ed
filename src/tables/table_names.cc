#include "tables/table_names.h"

#include <fmt/format.h>

#include "base/random.h"

namespace mayfly::tables {
namespace {

constexpr std::string_view kPrefix = "table.";
constexpr std::string_view kIdForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string ItemsKeyspace(const std::string& id) { return fmt::format("table.{}.items", id); }

std::string IndexKeyspace(const std::string& id, std::uint64_t number) {
  return fmt::format("table.{}.index.{}", id, number);
}

std::string ShadowsKeyspace(const std::string& id, std::uint64_t number) {
  return fmt::format("table.{}.shadows.{}", id, number);
}

std::string StreamKeyspace(const std::string& id, const std::string& label) {
  return fmt::format("table.{}.stream.{}", id, label);
}

bool IsOfATable(std::string_view keyspace) {
  if (!keyspace.starts_with(kPrefix)) return false;
  keyspace.remove_prefix(kPrefix.size());
  if (keyspace.size() < kIdForm.size() + 2 || keyspace[kIdForm.size()] != '.') return false;
  for (std::size_t i = 0; i < kIdForm.size(); ++i) {
    if (kIdForm[i] == 'x' ? !IsHexDigit(keyspace[i]) : keyspace[i] != kIdForm[i]) return false;
  }
  return true;
}

bool IsItemsOfATable(std::string_view keyspace) {
  return IsOfATable(keyspace) && keyspace.ends_with(".items");
}

std::string TableRow(const std::string& name) { return std::string(kTableRows) + name; }
std::string JobRow(const std::string& id) { return std::string(kJobRows) + id; }
std::string SweepPlaceRow(const std::string& id) { return "place/sweep/" + id; }
std::string StreamPlaceRow(const std::string& id, const std::string& label) {
  return fmt::format("place/stream/{}/{}", id, label);
}

std::string NewTableId() {
  const std::uint64_t high = FreshSeed();
  const std::uint64_t low = FreshSeed();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffffffffffff);
}

}  // namespace mayfly::tables
