// Goal: a child made by fork() is refused by the tables of its parent, and does not hang on them.
// Method: real children of a process that is in the middle of a change.
#include <gtest/gtest.h>

#include <thread>

#include "base/temporary_directory.h"
#include "fork/fork_fixture.h"
#include "fork/forked.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly {
namespace {

TableSpec SpecOf(const std::string& name) { return {.name = name, .partition = {.name = "id"}}; }

Item ItemOf(const std::string& id) { return {{"id", id}}; }

std::string CallTables(Tables& tables) {
  Refusals refusals;
  const Item key = ItemOf("a");
  refusals.Expect("CreateTable", tables.CreateTable(SpecOf("of the child")));
  refusals.Expect("DescribeTable", tables.DescribeTable("table"));
  refusals.Expect("ListTables", tables.ListTables());
  refusals.Expect("UpdateTable", tables.UpdateTable("table", {}));
  refusals.Expect("ReviseTable", tables.ReviseTable("table", [](const TableSpec&) {
    return Result<TableChange>(TableChange{});
  }));
  refusals.Expect("DropTable", tables.DropTable("table"));
  refusals.Expect("PutItem", tables.PutItem({.table = "table", .item = key}));
  refusals.Expect("UpdateItem", tables.UpdateItem({.table = "table", .key = key}));
  refusals.Expect("DeleteItem", tables.DeleteItem({.table = "table", .key = key}));
  refusals.Expect("GetItem", tables.GetItem({.table = "table", .key = key}));
  refusals.Expect("BatchGetItem", tables.BatchGetItem({{.table = "table", .key = key}}));
  refusals.Expect("BatchWriteItem",
                  tables.BatchWriteItem({PutItemRequest{.table = "table", .item = key}}));
  refusals.Expect("TransactGetItems", tables.TransactGetItems({{.table = "table", .key = key}}));
  refusals.Expect("TransactWriteItems",
                  tables.TransactWriteItems({{PutItemRequest{.table = "table", .item = key}}}));
  refusals.Expect("Query", tables.Query({.table = "table",
                                         .key_condition = "id = :id",
                                         .arguments = {.values = {{":id", key.at("id")}}}}));
  refusals.Expect("Scan", tables.Scan({.table = "table"}));
  refusals.Expect("ListPartitionKeys", tables.ListPartitionKeys("table"));
  refusals.Expect("ListSortKeyPrefixes", tables.ListSortKeyPrefixes("table", key.at("id"), "/"));
  refusals.Expect("SetTtl", tables.SetTtl("table", key, Millis(1000)));
  refusals.Expect("RemoveTtl", tables.RemoveTtl("table", key));
  refusals.Expect("GetTtl", tables.GetTtl("table", key));
  refusals.Expect("SweepExpired", tables.SweepExpired("table"));
  refusals.Expect("StartReaper", tables.StartReaper());
  refusals.Expect("RunUpkeep", tables.RunUpkeep());
  refusals.Expect("ListStreams", tables.ListStreams());
  refusals.Expect("DescribeStream", tables.DescribeStream("table", "label"));
  refusals.Expect("ReadStream", tables.ReadStream("table", "label", 0, 1));
  return refusals.said();
}

TEST(ForkTables, EveryCallOfTablesIsRefusedWhateverTheParentDoes) {
  const TemporaryDirectory directory;
  auto database = MustOpen(directory.Inside("db"));
  auto tables = *Tables::Open(*database);
  ASSERT_TRUE(tables->CreateTable(SpecOf("table")).has_value());
  // A thread of the parent holds the table while the child is made, so in the child it is held for
  // ever.
  const Signal held;
  const Signal forked;
  std::thread change([&] {
    const auto revised = tables->ReviseTable("table", [&](const TableSpec&) -> Result<TableChange> {
      held.Give();
      forked.Await();
      return TableChange{.notes = {{{"note", "kept"}}}};
    });
    EXPECT_TRUE(revised.has_value()) << revised.status().ToString();
  });
  held.Await();
  Forked child([&] {
    std::string said = CallTables(*tables);
    tables.reset();
    database.reset();
    return said;
  });
  EXPECT_EQ(child.Wait(), "");
  forked.Give();
  change.join();
  EXPECT_EQ(tables->DescribeTable("table")->spec.notes.at("note"), "kept");
  EXPECT_TRUE(tables->PutItem({.table = "table", .item = ItemOf("a")}).has_value());
}

TEST(ForkTables, TheParentsCanBeLetGo) {
  const TemporaryDirectory directory;
  auto database = MustOpen(directory.Inside("db"));
  auto tables = *Tables::Open(*database);
  auto reaper = *tables->StartReaper({});
  Forked child([&] {
    reaper.reset();
    tables.reset();
    database.reset();
    return std::string();
  });
  EXPECT_EQ(child.Wait(), "");
}

}  // namespace
}  // namespace mayfly
