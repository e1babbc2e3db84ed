// table_life.h - the fixture of tests about tables, rather than items.
#pragma once

#include "tables/tables_home.h"

namespace mayfly {

class TableLife : public EachTables {
 protected:
  using EachTables::EachTables;

  // Restarts the database and the tables; in memory only the tables.
  void Restart() {
    tables_.reset();
    if (home_.persistent()) home_.Reopen();
    OpenTables();
  }

  TableDescription Describe(const std::string& table) {
    const auto described = tables().DescribeTable(table);
    EXPECT_TRUE(described.has_value()) << described.status().ToString();
    return described ? *described : TableDescription();
  }

  void Change(const std::string& table, const TableChange& change) {
    const auto changed = tables().UpdateTable(table, change);
    ASSERT_TRUE(changed.has_value()) << changed.status().ToString();
  }

  void FinishUpkeep() {
    const auto left = tables().RunUpkeep();
    ASSERT_TRUE(left.has_value()) << left.status().ToString();
    EXPECT_EQ(*left, 0U);
  }

  std::uint64_t Sweep(const std::string& table, std::uint64_t items_max = UINT64_MAX) {
    const auto swept = tables().SweepExpired(table, items_max);
    EXPECT_TRUE(swept.has_value()) << swept.status().ToString();
    return swept.value_or(0);
  }

  std::vector<StreamRecord> Records(const std::string& table) {
    const auto records = AllRecords(tables(), table, Describe(table).stream_label);
    EXPECT_TRUE(records.has_value()) << records.status().ToString();
    return records ? *records : std::vector<StreamRecord>();
  }
};

}  // namespace mayfly
