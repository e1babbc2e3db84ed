// table_names.h - the keyspaces of tables, and the rows of the one that describes them.
//   tables                     descriptions, jobs, places in the event log
//   table.ID.items             items
//   table.ID.index.N           entries of an index; N is never used twice
//   table.ID.shadows.N         see table.h
//   table.ID.stream.LABEL      records of a stream
// An ID belongs to one table for ever, so a keyspace that no description names is a leftover.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mayfly::tables {

inline constexpr const char* kTablesKeyspace = "tables";

std::string ItemsKeyspace(const std::string& id);
std::string IndexKeyspace(const std::string& id, std::uint64_t number);
std::string ShadowsKeyspace(const std::string& id, std::uint64_t number);
std::string StreamKeyspace(const std::string& id, const std::string& label);

// Whether a table may have made a keyspace of that name: "table.", an ID, a dot, and more.
bool IsOfATable(std::string_view keyspace);

// The same of one for items.
bool IsItemsOfATable(std::string_view keyspace);

// Keys of rows in keyspace "tables".
inline constexpr std::string_view kTableRows = "table/";
inline constexpr std::string_view kJobRows = "job/";
std::string TableRow(const std::string& name);
std::string JobRow(const std::string& id);
std::string SweepPlaceRow(const std::string& id);
std::string StreamPlaceRow(const std::string& id, const std::string& label);

// A random UUID.
std::string NewTableId();

}  // namespace mayfly::tables
