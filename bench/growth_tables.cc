// Tables: the cost of one item beside other tables and other items.
#include "growth.h"
#include "must.h"
#include "tables_workload.h"

namespace mayfly::bench {
namespace {

std::shared_ptr<Tables> BenchTables(GrowthStage& stage) {
  std::shared_ptr<Tables> tables = Must(Tables::Open(stage.database()));
  Must(tables->CreateTable(BenchTable()).status());
  return tables;
}

std::shared_ptr<Tables> AmongItems(GrowthStage& stage, std::size_t items) {
  std::shared_ptr<Tables> tables = BenchTables(stage);
  for (std::size_t i = 0; i < items; ++i) Do(*tables, TableOperation::kPut, i);
  return tables;
}

std::shared_ptr<Tables> AmongTables(GrowthStage& stage, std::size_t others) {
  std::shared_ptr<Tables> tables = AmongItems(stage, kItemsPerPartition);
  for (std::size_t i = 0; i < others; ++i) {
    TableSpec spec = BenchTable();
    spec.name = "other" + std::to_string(i);
    Must(tables->CreateTable(spec).status());
  }
  return tables;
}

std::function<void(int)> Over(std::shared_ptr<Tables> tables, TableOperation operation,
                              std::size_t items) {
  return [tables = std::move(tables), operation, items](int i) {
    Do(*tables, operation, static_cast<std::size_t>(i) * 7919 % items);
  };
}

GrowthCase ItemsCase(const char* name, TableOperation operation, int calls) {
  return {.name = name,
          .size = 3'000,
          .growth_max = 2.0,
          .prepare =
              [operation](GrowthStage& stage, std::size_t size) {
                return Over(AmongItems(stage, size), operation, size);
              },
          .calls = calls};
}

GrowthCase TablesCase(const char* name, TableOperation operation, int calls) {
  return {.name = name,
          .size = 20,
          .growth_max = 2.0,
          .prepare =
              [operation](GrowthStage& stage, std::size_t size) {
                return Over(AmongTables(stage, size), operation, kItemsPerPartition);
              },
          .calls = calls};
}

}  // namespace

std::vector<GrowthCase> TableGrowth() {
  return {
      ItemsCase("table: put an item among many", TableOperation::kPut, 500),
      ItemsCase("table: get an item among many", TableOperation::kGet, 500),
      ItemsCase("table: update an item among many", TableOperation::kUpdate, 500),
      ItemsCase("table: query one partition among many", TableOperation::kQuery, 50),
      TablesCase("table: put an item, among tables", TableOperation::kPut, 500),
      TablesCase("table: get an item, among tables", TableOperation::kGet, 500),
  };
}

}  // namespace mayfly::bench
