// plain_tables.h - the model of tables, in memory: items, names of indexes and streams that a
// killed process must have left.
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

  // Does nothing when the table has no stream.
  void Died(const Item& item);
  void Write(const Item& key, const std::optional<Item>& after);
  void Sweep();
  void AdvanceTo(WallTime now);
  void ChangeTtl(const std::string& attribute, TtlMode mode);

  TableSpec spec;
  TablesModel items;
  std::vector<PlainStream> streams;  // The last one is open, if the table has a stream.

 private:
  // Records items that are gone after `change` as dead.
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
