// table_names.h - the keyspaces of tables, and the rows of the one that describes them.
//   tables                     descriptions, jobs, places in the event log
//   table.NAME.items#ID            items
//   table.NAME.index.INDEX#ID.N    entries of an index; N is never used twice
//   table.NAME.shadows#ID.N        see table.h
//   table.NAME.stream.LABEL#ID     records of a stream
// An ID belongs to one table for ever, so a keyspace that no description names is a leftover. The
// names in front of it are for people, who see them in proofs and metrics; long ones are cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mayfly::tables {

inline constexpr const char* kTablesKeyspace = "tables";

// A table as its keyspaces name it.
struct TableLabel {
  std::string_view name;
  std::string_view id;
};

std::string ItemsKeyspace(const TableLabel& table);
std::string IndexKeyspace(const TableLabel& table, std::string_view index, std::uint64_t number);
std::string ShadowsKeyspace(const TableLabel& table, std::uint64_t number);
std::string StreamKeyspace(const TableLabel& table, std::string_view label);

// Whether the name has the form of a table's keyspace.
bool IsOfATable(std::string_view keyspace);

// The same for a keyspace of items.
bool IsItemsOfATable(std::string_view keyspace);

// Keys of rows in keyspace "tables".
inline constexpr std::string_view kTableRows = "table/";
inline constexpr std::string_view kJobRows = "job/";
inline constexpr std::string_view kVersionsRow = "versions";
std::string TableRow(const std::string& name);
std::string JobRow(const std::string& id);
std::string SweepPlaceRow(const std::string& id);
std::string StreamPlaceRow(const std::string& id, const std::string& label);

// A random UUID.
std::string NewTableId();

}  // namespace mayfly::tables
