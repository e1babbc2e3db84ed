// tables - items with keys, an index and an instant at which they die, embedded in a program.
//
// A shop keeps carts: one item per customer and cart, found by customer, or through an index by
// the coupon that was used. An untouched cart is gone after half an hour, for the table and its
// index at the same millisecond, purged or not. Conditions keep two cashiers from selling the same
// cart, and a transaction changes stock and order together.
//
// The clock is a manual one so that the example takes no time; leave it out and the system's is
// used.
#include "mayfly/tables.h"

#include <chrono>
#include <cstdio>
#include <string>

#include "mayfly/database.h"

namespace {

using namespace std::chrono_literals;
using mayfly::Item;
using mayfly::KeyAttribute;
using mayfly::KeyType;
using mayfly::Number;
using mayfly::Status;

// Prints what happened, or returns an error if it did not.
Status Check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "-" : "NOT TRUE:", what.c_str());
  return holds ? Status() : Status::Internal(what);
}

Status MakeTables(mayfly::Tables& tables) {
  const mayfly::TableSpec carts = {
      .name = "carts",
      .partition = {"customer", KeyType::kString},
      .sort = KeyAttribute{"cart", KeyType::kNumber},
      .ttl_attribute = "expires",
      .global_indexes = {{.name = "by_coupon", .partition = {"coupon", KeyType::kString}}}};
  const mayfly::TableSpec stock = {.name = "stock", .partition = {"article", KeyType::kString}};
  MAYFLY_RETURN_IF_ERROR(tables.CreateTable(carts).status());
  return tables.CreateTable(stock).status();
}

mayfly::QueryRequest WithCoupon() {
  return {.table = "carts",
          .index = "by_coupon",
          .key_condition = "coupon = :c",
          .arguments = {.values = {{":c", "SPRING"}}}};
}

// Takes a lamp from stock, if there is one, and adds it to the cart: both or neither.
mayfly::Result<mayfly::TransactOutcome> Reserve(mayfly::Tables& tables, const Item& cart) {
  const mayfly::UpdateItemRequest take = {
      .table = "stock",
      .key = {{"article", "lamp"}},
      .update = "SET pieces = pieces - :one",
      .condition = "pieces > :none",
      .arguments = {.values = {{":one", Number(1)}, {":none", Number(0)}}}};
  const mayfly::UpdateItemRequest note = {.table = "carts",
                                          .key = cart,
                                          .update = "ADD lamps :one",
                                          .arguments = {.values = {{":one", Number(1)}}}};
  return tables.TransactWriteItems({{take}, {note}});
}

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  MAYFLY_TRY(const auto tables, mayfly::Tables::Open(*database));
  MAYFLY_RETURN_IF_ERROR(MakeTables(*tables));

  const Item cart = {{"customer", "alice"}, {"cart", Number(1)}};
  Item item = cart;
  item["coupon"] = "SPRING";
  const mayfly::PutItemRequest open = {
      .table = "carts", .item = item, .condition = "attribute_not_exists(cart)"};
  MAYFLY_TRY(const auto opened, tables->PutItem(open));
  MAYFLY_RETURN_IF_ERROR(Check(opened.written, "alice opens a cart"));
  MAYFLY_TRY(const auto again, tables->PutItem(open));
  MAYFLY_RETURN_IF_ERROR(Check(!again.written, "it cannot be opened a second time"));
  MAYFLY_RETURN_IF_ERROR(tables->SetTtl("carts", cart, 30min));

  const Item lamps = {{"article", "lamp"}, {"pieces", Number(1)}};
  MAYFLY_RETURN_IF_ERROR(tables->PutItem({.table = "stock", .item = lamps}).status());
  MAYFLY_TRY(const auto first, Reserve(*tables, cart));
  MAYFLY_RETURN_IF_ERROR(Check(first.written, "the last lamp goes from stock into her cart"));
  MAYFLY_TRY(const auto second, Reserve(*tables, cart));
  MAYFLY_RETURN_IF_ERROR(Check(!second.written, "there is no other, so nothing changes"));
  MAYFLY_TRY(const auto found, tables->GetItem({.table = "carts", .key = cart}));
  MAYFLY_RETURN_IF_ERROR(
      Check(found.item && found.item->at("lamps") == Number(1), "one lamp is in the cart"));

  clock.Advance(30min - 1ms);
  MAYFLY_TRY(const auto before, tables->Query(WithCoupon()));
  MAYFLY_RETURN_IF_ERROR(
      Check(before.count == 1, "a millisecond before half an hour the index finds the cart"));
  clock.Advance(1ms);
  MAYFLY_TRY(const auto after, tables->Query(WithCoupon()));
  MAYFLY_TRY(const auto gone, tables->GetItem({.table = "carts", .key = cart}));
  MAYFLY_RETURN_IF_ERROR(
      Check(after.count == 0 && !gone.item, "then it is gone, for the index and the table"));
  MAYFLY_TRY(const auto reopened, tables->PutItem(open));
  return Check(reopened.written, "and alice may open it anew");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}
