// plain_tables.h - tables, their indexes' names and their streams in plain memory: what a process
// that died must have left.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "crash/table_operation.h"
#include "tables/tables_model.h"

namespace mayfly::crash {

// "modify {...} to {...}": a record of a stream, in words.
std::string LineOf(const std::optional<Item>& before, const std::optional<Item>& after);

struct PlainStream {
  std::map<std::string, std::string> at_begin;  // The items, by their keys, in words.
  std::vector<std::string> writes;              // In order.
  std::multiset<std::string> deaths;
};

struct PlainTable {
  explicit PlainTable(const TableSpec& spec, WallTime now);

  bool streaming() const { return spec.stream != StreamView::kOff; }
  void BeginStream();

  // Nothing when the table has no stream.
  void Died(const Item& item);
  void Write(const Item& key, const std::optional<Item>& after);
  void Sweep();
  void AdvanceTo(WallTime now);
  void ChangeTtl(const std::string& attribute, TtlMode mode);

  TableSpec spec;
  TablesModel items;
  std::vector<PlainStream> streams;  // The last one goes on, if the table has one.

 private:
  // Items that are gone after it have died.
  void SeeWhoDies(const std::function<void()>& change);
};

class PlainTables {
 public:
  explicit PlainTables(WallTime now) : now_(now) {}

  const std::map<std::string, PlainTable>& tables() const { return tables_; }

  // Null when there is no such table.
  PlainTable* Find(const std::string& name);

  void AdvanceTo(WallTime now);
  void Play(const TableOperation& operation);

 private:
  void PlayChange(const TableOperation& operation);
  void PlayWrites(const TableOperation& operation);

  WallTime now_;
  std::map<std::string, PlainTable> tables_;
};

}  // namespace mayfly::crash
