#include "crash/table_operation.h"

#include <fmt/format.h>

#include "base/checksum.h"
#include "tables/random_posts.h"

namespace mayfly::crash {
namespace {

using Kind = TableOperation::Kind;
using Write = TableOperation::Write;

constexpr const char* kNames[] = {"posts", "swept", "brief"};
constexpr std::int64_t kMsPerOperation = 40;

std::string AnyTable(Random& random) { return kNames[random.Below(std::size(kNames))]; }

Write UpdateOf(RandomPosts& posts, Item key, WallTime now) {
  Write update{.kind = Write::Kind::kUpdate, .table = {}, .key = std::move(key), .set = {}};
  switch (posts.random().Below(5)) {
    case 0:
      update.set["topic"] = posts.Topic();
      update.set["score"] = posts.Score();
      break;
    case 1: update.add = posts.Small(10); break;
    case 2: update.removed = {"topic", "expires"}; break;
    case 3: update.set["ends"] = posts.Expires(now); break;
    default: update.set["expires"] = posts.Expires(now);
  }
  return update;
}

Write AnyWrite(RandomPosts& posts, WallTime now) {
  Write write;
  const std::uint64_t draw = posts.random().Below(10);
  if (draw < 6) {
    write.set = posts.Post(now);
    if (posts.random().OneIn(2)) write.set["ends"] = posts.Expires(now);
    write.key = KeyOf(write.set);
  } else if (draw < 8) {
    write = UpdateOf(posts, posts.Key(), now);
  } else {
    write.kind = Write::Kind::kDelete;
    write.key = posts.Key();
  }
  write.table = AnyTable(posts.random());
  return write;
}

// "brief" is made and dropped more often than the others.
TableOperation AnyChange(Random& random) {
  static constexpr Kind kKinds[] = {Kind::kAddIndex, Kind::kDropIndex, Kind::kBeginStream,
                                    Kind::kEndStream};
  if (random.OneIn(2)) {
    return {.kind = kKinds[random.Below(std::size(kKinds))], .table = kNames[random.Below(2)]};
  }
  const std::string table = random.OneIn(4) ? AnyTable(random) : "brief";
  return {.kind = random.OneIn(2) ? Kind::kDrop : Kind::kCreate, .table = table};
}

TableOperation AnyTtlChange(Random& random) {
  static constexpr const char* kAttributes[] = {"expires", "ends", ""};
  return {.kind = Kind::kChangeTtl,
          .table = AnyTable(random),
          .ttl_attribute = kAttributes[random.Below(std::size(kAttributes))],
          .ttl_mode = random.OneIn(2) ? TtlMode::kExact : TtlMode::kUntilSwept};
}

PutItemRequest PutOf(const Write& write) { return {.table = write.table, .item = write.set}; }

DeleteItemRequest DeleteOf(const Write& write) { return {.table = write.table, .key = write.key}; }

UpdateItemRequest UpdateOf(const Write& write) {
  UpdateItemRequest request{.table = write.table, .key = write.key};
  for (const auto& [name, value] : write.set) {
    request.update += fmt::format("{}{} = :{}", request.update.empty() ? "SET " : ", ", name, name);
    request.arguments.values[":" + name] = value;
  }
  if (write.add) {
    request.update = "ADD n :n";
    request.arguments.values[":n"] = *write.add;
  }
  for (const std::string& name : write.removed) {
    request.update += (request.update.empty() ? "REMOVE " : ", ") + name;
  }
  return request;
}

Status PerformWrites(const TableOperation& operation, Tables& tables) {
  const Write& first = operation.writes.front();
  if (operation.writes.size() == 1) {
    switch (first.kind) {
      case Write::Kind::kPut: return tables.PutItem(PutOf(first)).status();
      case Write::Kind::kUpdate: return tables.UpdateItem(UpdateOf(first)).status();
      case Write::Kind::kDelete: return tables.DeleteItem(DeleteOf(first)).status();
    }
  }
  std::vector<TransactWrite> actions;
  for (const Write& write : operation.writes) {
    switch (write.kind) {
      case Write::Kind::kPut: actions.push_back({PutOf(write)}); break;
      case Write::Kind::kUpdate: actions.push_back({UpdateOf(write)}); break;
      case Write::Kind::kDelete: actions.push_back({DeleteOf(write)}); break;
    }
  }
  return tables.TransactWriteItems(actions, operation.token).status();
}

constexpr std::uint64_t kItemsMax = 2;  // So that a job takes many steps.

// If it was interrupted before, the change itself is done and its job continues.
Status ChangeTtl(const TableOperation& operation, Tables& tables) {
  MAYFLY_RETURN_IF_ERROR(
      tables
          .UpdateTable(operation.table,
                       {.ttl_attribute = operation.ttl_attribute, .ttl_mode = operation.ttl_mode})
          .status());
  while (true) {
    MAYFLY_RETURN_IF_ERROR(tables.RunUpkeep(kItemsMax).status());
    MAYFLY_TRY(const TableDescription table, tables.DescribeTable(operation.table));
    const bool under_way =
        table.ttl_status == TtlStatus::kEnabling || table.ttl_status == TtlStatus::kDisabling;
    if (!under_way) return {};
  }
}

Status Try(const TableOperation& operation, Database& database, Tables& tables) {
  const std::string& table = operation.table;
  constexpr std::uint64_t kRowsMax = 20;
  switch (operation.kind) {
    case Kind::kCreate: return tables.CreateTable(SpecOf(table)).status();
    case Kind::kDrop: return tables.DropTable(table).status();
    case Kind::kAddIndex:
      return tables.UpdateTable(table, {.add_global_index = ByTitle()}).status();
    case Kind::kDropIndex:
      return tables.UpdateTable(table, {.drop_global_index = ByTitle().name}).status();
    case Kind::kBeginStream:
      return tables.UpdateTable(table, {.stream = StreamView::kNewAndOldImages}).status();
    case Kind::kEndStream: return tables.UpdateTable(table, {.stream = StreamView::kOff}).status();
    case Kind::kChangeTtl: return ChangeTtl(operation, tables);
    case Kind::kWrite: return PerformWrites(operation, tables);
    case Kind::kSetTtl: return tables.SetTtl(table, operation.key, operation.ttl);
    case Kind::kPurge: return database.Purge({.rows_max = kRowsMax}).status();
    case Kind::kSweep: return tables.SweepExpired(table).status();
    case Kind::kUpkeep: return tables.RunUpkeep(kItemsMax).status();
  }
  return Status::Internal("no such operation");
}

}  // namespace

Item KeyOf(const Item& item) { return {{"user", item.at("user")}, {"nr", item.at("nr")}}; }

WallTime InstantOf(std::uint64_t number) {
  return kStart + Millis(static_cast<std::int64_t>(number) * kMsPerOperation);
}

TableOperation OperationOf(std::uint64_t seed, std::uint64_t number) {
  if (number < std::size(kNames)) return {.kind = Kind::kCreate, .table = kNames[number]};
  RandomPosts posts(Hash64(std::to_string(number), seed));
  Random& random = posts.random();
  const WallTime now = InstantOf(number);
  const std::uint64_t draw = random.Below(42);
  if (draw < 3) return AnyChange(random);
  if (draw < 5) return {.kind = Kind::kPurge, .table = {}};
  if (draw < 7) return {.kind = Kind::kSweep, .table = AnyTable(random)};
  if (draw < 10) return {.kind = Kind::kUpkeep, .table = {}};
  if (draw < 12) {
    return {.kind = Kind::kSetTtl,
            .table = AnyTable(random),
            .key = posts.Key(),
            .ttl = Millis(static_cast<std::int64_t>(random.Between(1, 3000)))};
  }
  if (draw < 13) return AnyTtlChange(random);
  TableOperation operation{.kind = Kind::kWrite, .table = {}, .writes = {AnyWrite(posts, now)}};
  if (draw < 30) return operation;
  Write second = AnyWrite(posts, now);
  const Write& first = operation.writes.front();
  if (second.table == first.table && second.key == first.key) return operation;
  operation.writes.push_back(std::move(second));
  if (draw < 36) operation.token = "token" + std::to_string(number);
  return operation;
}

TableSpec SpecOf(const std::string& table) {
  TableSpec spec = PostsSpec(table == "swept" ? TtlMode::kUntilSwept : TtlMode::kExact);
  spec.name = table;
  if (table != "brief") spec.stream = StreamView::kNewAndOldImages;
  return spec;
}

IndexSpec ByTitle() { return {.name = "by_title", .partition = {"title", KeyType::kString}}; }

Status Perform(const TableOperation& operation, Database& database, Tables& tables) {
  const Status done = Try(operation, database, tables);
  // Or no ttl attribute is.
  const bool nothing_there =
      done.IsNotFound() || (operation.kind == Kind::kSetTtl && done.code() == StatusCode::kInvalid);
  const bool nothing_to_change = operation.ChangesTable() && (done.code() == StatusCode::kBusy ||
                                                              done.code() == StatusCode::kInvalid);
  return nothing_there || nothing_to_change ? Status() : done;
}

}  // namespace mayfly::crash
