#include "tables/schema/table_names.h"

#include <fmt/format.h>

#include "base/random.h"
#include "base/text.h"

namespace mayfly::tables {
namespace {

constexpr std::string_view kPrefix = "table.";
constexpr std::string_view kIdForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

// Two of them, an ID and the rest fit into the 255 bytes of a keyspace's name.
constexpr std::size_t kNameBytesShown = 80;

std::string Cut(std::string_view name) {
  if (name.size() <= kNameBytesShown) return std::string(name);
  return fmt::format("{}~", name.substr(0, kNameBytesShown - 1));
}

}  // namespace

std::string ItemsKeyspace(const TableLabel& table) {
  return fmt::format("table.{}.items#{}", Cut(table.name), table.id);
}

std::string IndexKeyspace(const TableLabel& table, std::string_view index, std::uint64_t number) {
  return fmt::format("table.{}.index.{}#{}.{}", Cut(table.name), Cut(index), table.id, number);
}

std::string ShadowsKeyspace(const TableLabel& table, std::uint64_t number) {
  return fmt::format("table.{}.shadows#{}.{}", Cut(table.name), table.id, number);
}

std::string StreamKeyspace(const TableLabel& table, std::string_view label) {
  return fmt::format("table.{}.stream.{}#{}", Cut(table.name), label, table.id);
}

bool IsOfATable(std::string_view keyspace) {
  const std::size_t mark = keyspace.find('#');
  if (!keyspace.starts_with(kPrefix) || mark == std::string_view::npos) return false;
  const std::string_view id = keyspace.substr(mark + 1);
  if (id.size() < kIdForm.size()) return false;
  for (std::size_t i = 0; i < kIdForm.size(); ++i) {
    if (kIdForm[i] == 'x' ? !IsLowerHexDigit(id[i]) : id[i] != kIdForm[i]) return false;
  }
  return id.size() == kIdForm.size() || id[kIdForm.size()] == '.';
}

bool IsItemsOfATable(std::string_view keyspace) {
  return IsOfATable(keyspace) && keyspace.substr(0, keyspace.find('#')).ends_with(".items");
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
