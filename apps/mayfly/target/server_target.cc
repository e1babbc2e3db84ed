#include "apps/mayfly/target/server_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "server/dump/dump_payload.h"
#include "server/functions/library_payload.h"

namespace mayfly::app {
namespace {

constexpr int kScanPage = 1000;

// Glob characters of the prefix stand for themselves.
std::string PatternOf(Bytes prefix) {
  std::string pattern;
  for (const char c : prefix) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) pattern.push_back('\\');
    pattern.push_back(c);
  }
  return pattern + "*";
}

std::vector<Request> PutRequests(Bytes key, Bytes value, Lifetime lifetime) {
  Request set = {"SET", std::string(key), std::string(value)};
  switch (lifetime.kind()) {
    case Lifetime::Kind::kFor:
      set.insert(set.end(), {"PX", std::to_string(lifetime.ttl().count())});
      break;
    case Lifetime::Kind::kUntil:
      set.insert(set.end(), {"PXAT", std::to_string(ToMs(lifetime.instant()))});
      break;
    case Lifetime::Kind::kKeep: set.emplace_back("KEEPTTL"); break;
    case Lifetime::Kind::kForever: return {std::move(set), {"PERSIST", std::string(key)}};
    case Lifetime::Kind::kDefault: break;
  }
  return {std::move(set)};
}

// Of a row of any type.
std::vector<Request> ImportRequests(const TargetRow& row) {
  if (!row.collection) return PutRequests(row.key, row.value, row.lifetime());
  Request restore = {"RESTORE", row.key, "0", server::EncodeDump(*row.collection), "REPLACE"};
  if (!row.deadline) return {std::move(restore), {"PERSIST", row.key}};
  restore[2] = std::to_string(ToMs(*row.deadline));
  restore.emplace_back("ABSTTL");
  return {std::move(restore)};
}

std::string TextOf(const rdb::StreamId& id) { return fmt::format("{}-{}", id.ms, id.sequence); }

// As an append-only file of Redis has them: a pending entry that is not in the stream any more is
// not claimed, and consumers are seen now.
void AddGroup(const std::string& key, const rdb::StreamGroup& group,
              std::vector<Request>& requests) {
  Request make = {"XGROUP", "CREATE", key, group.name, TextOf(group.last)};
  if (group.entries_read) {
    make.insert(make.end(), {"ENTRIESREAD", std::to_string(*group.entries_read)});
  }
  requests.push_back(std::move(make));
  for (const rdb::StreamConsumer& consumer : group.consumers) {
    requests.push_back({"XGROUP", "CREATECONSUMER", key, group.name, consumer.name});
  }
  for (const rdb::PendingEntry& entry : group.pending) {
    requests.push_back({"XCLAIM", key, group.name, entry.consumer, "0", TextOf(entry.id), "TIME",
                        std::to_string(ToMs(entry.delivered)), "RETRYCOUNT",
                        std::to_string(entry.deliveries), "FORCE", "JUSTID"});
  }
}

std::vector<Request> ExtendStreamRequests(const std::string& key, const server::DumpedValue& more) {
  std::vector<Request> requests;
  for (const rdb::StreamEntry& entry : more.entries) {
    Request& add = requests.emplace_back(Request{"XADD", key, TextOf(entry.id)});
    for (const auto& [name, value] : entry.fields) add.insert(add.end(), {name, value});
  }
  if (!more.stream) return requests;
  Request set = {"XSETID", key, TextOf(more.stream->last)};
  if (more.stream->entries_added) {
    set.insert(set.end(),
               {"ENTRIESADDED", std::to_string(*more.stream->entries_added), "MAXDELETEDID",
                TextOf(more.stream->last_deleted.value_or(rdb::StreamId()))});
  }
  requests.push_back(std::move(set));
  for (const rdb::StreamGroup& group : more.stream->groups) AddGroup(key, group, requests);
  return requests;
}

// Commands that add the members.
std::vector<Request> ExtendRequests(const std::string& key, const server::DumpedValue& more) {
  if (more.type == types::ValueType::kStream) return ExtendStreamRequests(key, more);
  std::vector<Request> requests(1);
  Request& add = requests.front();
  switch (more.type) {
    case types::ValueType::kList: add = {"RPUSH", key}; break;
    case types::ValueType::kSet: add = {"SADD", key}; break;
    case types::ValueType::kSortedSet: add = {"ZADD", key}; break;
    default: add = {"HSET", key}; break;
  }
  add.insert(add.end(), more.elements.begin(), more.elements.end());
  for (const auto& [name, score] : more.scores) {
    add.insert(add.end(), {fmt::format("{}", score), name});
  }
  for (const auto& field : more.fields) {
    add.insert(add.end(), {field.name, field.value});
    if (!field.deadline) continue;
    requests.push_back(
        {"HPEXPIREAT", key, std::to_string(ToMs(*field.deadline)), "FIELDS", "1", field.name});
  }
  return requests;
}

Status FirstError(const std::vector<Reply>& replies) {
  for (const Reply& reply : replies) {
    if (reply.is_error()) return StatusOf(reply);
  }
  return {};
}

// "db7" -> 7.
Result<int> NumberOf(const std::string& keyspace) {
  int number = 0;
  const char* const begin = keyspace.data() + 2;
  const char* const end = keyspace.data() + keyspace.size();
  if (keyspace.starts_with("db") && keyspace.size() > 2) {
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  return Status::Unsupported(fmt::format(
      "a server's keyspaces are db0, db1 and so on; '{}' can be reached in the folder only",
      keyspace));
}

}  // namespace

Result<std::unique_ptr<Target>> ServerTarget::Open(const TargetFlags& flags) {
  if (!flags.key_file.empty()) {
    return Status::Unsupported("--encryption-key-file is for folders; a server has its own");
  }
  MAYFLY_TRY(ServerUrl url, ParseServerUrl(flags.target));
  if (!flags.keyspace.empty()) {
    MAYFLY_TRY(url.database, NumberOf(flags.keyspace));
  }
  MAYFLY_TRY(auto client,
             RespClient::Connect(url, {.ca_file = flags.tls_ca, .insecure = flags.tls_insecure},
                                 flags.timeout.value_or(kTimeoutDefault)));
  return std::unique_ptr<Target>(
      new ServerTarget(std::move(url), std::move(client), !flags.timeout.has_value()));
}

Result<TargetRow> ServerTarget::Get(Bytes key) {
  const std::string name(key);
  MAYFLY_TRY(const std::vector<Reply> replies,
             client_->RunAll({{"GET", name}, {"PEXPIRETIME", name}}));
  MAYFLY_RETURN_IF_ERROR(FirstError(replies));
  if (replies[0].is_null()) return Status::NotFound();
  TargetRow row{.key = name, .value = replies[0].text(), .deadline = std::nullopt};
  if (replies[1].integer() > 0) row.deadline = WallTimeFromMs(replies[1].integer());
  return row;
}

Status ServerTarget::Put(Bytes key, Bytes value, Lifetime lifetime) {
  if (lifetime.kind() == Lifetime::Kind::kFor && lifetime.ttl() <= Millis(0)) {
    return Status::Invalid("a ttl must be more than zero");
  }
  MAYFLY_TRY(const std::vector<Reply> replies, client_->RunAll(PutRequests(key, value, lifetime)));
  return FirstError(replies);
}

Status ServerTarget::PutAll(const std::vector<TargetRow>& rows) {
  std::vector<Request> requests;
  for (const TargetRow& row : rows) {
    for (Request& request : PutRequests(row.key, row.value, row.lifetime())) {
      requests.push_back(std::move(request));
    }
  }
  MAYFLY_TRY(const std::vector<Reply> replies, client_->RunAll(requests));
  return FirstError(replies);
}

// Within MULTI, a row's write and the question whether it lives are at one instant, and no other
// client comes between them.
Result<std::uint64_t> ServerTarget::Import(const std::vector<TargetRow>& rows) {
  std::vector<Request> requests = {{"MULTI"}};
  std::vector<std::size_t> questions;  // Their places among the replies of EXEC.
  for (const TargetRow& row : rows) {
    for (Request& request : ImportRequests(row)) requests.push_back(std::move(request));
    questions.push_back(requests.size() - 1);
    requests.push_back({"EXISTS", row.key});
  }
  requests.push_back({"EXEC"});
  MAYFLY_TRY(const std::vector<Reply> replies, client_->RunAll(requests));
  MAYFLY_RETURN_IF_ERROR(FirstError(replies));
  MAYFLY_RETURN_IF_ERROR(FirstError(replies.back().items()));
  return std::count_if(questions.begin(), questions.end(), [&](std::size_t place) {
    return replies.back().items().at(place).integer() > 0;
  });
}

Status ServerTarget::Extend(const TargetRow& row) {
  MAYFLY_TRY(const std::vector<Reply> replies,
             client_->RunAll(ExtendRequests(row.key, *row.collection)));
  return FirstError(replies);
}

Status ServerTarget::UseDatabase(int number) {
  MAYFLY_RETURN_IF_ERROR(client_->Ask({"SELECT", std::to_string(number)}).status());
  database_ = number;
  return {};
}

// From the lines "db0:keys=1,...".
Result<std::vector<int>> ServerTarget::ListDatabases() {
  std::vector<int> numbers;
  MAYFLY_TRY(const Reply info, client_->Ask({"INFO", "keyspace"}));
  std::string_view rest = info.text();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const auto number = NumberOf(std::string(line.substr(0, line.find(':'))));
    if (number) numbers.push_back(*number);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return numbers;
}

Result<std::vector<std::string>> ServerTarget::Libraries() {
  MAYFLY_TRY(const Reply payload, client_->Ask({"FUNCTION", "DUMP"}));
  return server::DecodeLibraries(payload.text());
}

Status ServerTarget::AddLibraries(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    MAYFLY_RETURN_IF_ERROR(client_->Ask({"FUNCTION", "LOAD", "REPLACE", text}).status());
  }
  return {};
}

Result<bool> ServerTarget::Delete(Bytes key) {
  MAYFLY_TRY(const Reply reply, client_->Ask({"DEL", std::string(key)}));
  return reply.integer() > 0;
}

Status ServerTarget::Expire(Bytes key, Lifetime lifetime) {
  const std::string name(key);
  Request request = {"PERSIST", name};
  if (lifetime.kind() == Lifetime::Kind::kFor) {
    if (lifetime.ttl() <= Millis(0)) return Status::Invalid("a ttl must be more than zero");
    request = {"PEXPIRE", name, std::to_string(lifetime.ttl().count())};
  } else if (lifetime.kind() == Lifetime::Kind::kUntil) {
    request = {"PEXPIREAT", name, std::to_string(ToMs(lifetime.instant()))};
  }
  MAYFLY_TRY(const std::vector<Reply> replies, client_->RunAll({{"EXISTS", name}, request}));
  MAYFLY_RETURN_IF_ERROR(FirstError(replies));
  return replies[0].integer() == 0 ? Status::NotFound() : Status();
}

Result<Millis> ServerTarget::Ttl(Bytes key) {
  MAYFLY_TRY(const Reply reply, client_->Ask({"PTTL", std::string(key)}));
  if (reply.integer() == -2) return Status::NotFound();
  return reply.integer() == -1 ? kForever : Millis(reply.integer());
}

Result<std::uint64_t> ServerTarget::Count(Bytes prefix) {
  if (prefix.empty()) {
    MAYFLY_TRY(const Reply reply, client_->Ask({"DBSIZE"}));
    return static_cast<std::uint64_t>(reply.integer());
  }
  std::uint64_t count = 0;
  std::string cursor = "0";
  do {
    MAYFLY_TRY(const Reply page, client_->Ask({"SCAN", cursor, "MATCH", PatternOf(prefix), "COUNT",
                                               std::to_string(kScanPage)}));
    count += page.items().at(1).items().size();
    cursor = page.items().at(0).text();
  } while (cursor != "0");
  return count;
}

Status ServerTarget::Scan(const ScanRange& range, const RowVisitor& visit) {
  if (range.reverse) {
    return Status::Unsupported("a server scans forwards only; --reverse works on a folder");
  }
  std::string cursor = "0";
  std::uint64_t seen = 0;
  do {
    MAYFLY_TRY(const Reply page,
               client_->Ask({"SCAN", cursor, "MATCH", PatternOf(range.prefix), "COUNT",
                             std::to_string(std::min<std::uint64_t>(
                                 kScanPage, std::max<std::uint64_t>(range.rows_max - seen, 10)))}));
    MAYFLY_TRY(const auto rows, ReadRows(page.items().at(1).items(), range.with_values));
    for (const TargetRow& row : rows) {
      if (seen++ >= range.rows_max) return {};
      if (range.with_collections && row.type != "string") {
        MAYFLY_TRY(const auto whole, ReadWhole(row.key, range.without_max_ages));
        if (whole && !visit(*whole)) return {};
      } else if (!visit(row)) {
        return {};
      }
    }
    cursor = page.items().at(0).text();
  } while (cursor != "0" && seen < range.rows_max);
  return {};
}

Result<std::vector<TargetRow>> ServerTarget::ReadRows(const Reply::Items& keys, bool with_values) {
  std::vector<TargetRow> rows;
  if (keys.empty()) return rows;
  std::vector<Request> requests;
  Request values = {"MGET"};
  for (const Reply& key : keys) {
    values.push_back(key.text());
    requests.push_back({"TYPE", key.text()});
    requests.push_back({"PEXPIRETIME", key.text()});
  }
  if (with_values) requests.push_back(std::move(values));
  MAYFLY_TRY(const std::vector<Reply> replies, client_->RunAll(requests));
  MAYFLY_RETURN_IF_ERROR(FirstError(replies));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    TargetRow row{.key = keys[i].text(),
                  .value = {},
                  .deadline = std::nullopt,
                  .type = replies[2 * i].text()};
    const std::int64_t deadline = replies[2 * i + 1].integer();
    const bool is_string = row.type == "string";
    const Reply* const value = with_values ? &replies.back().items().at(i) : nullptr;
    if (deadline == -2 || (is_string && with_values && value->is_null())) continue;
    if (is_string && with_values) row.value = value->text();
    if (deadline > 0) row.deadline = WallTimeFromMs(deadline);
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::optional<TargetRow>> ServerTarget::ReadWhole(const std::string& key,
                                                         bool without_max_ages) {
  MAYFLY_TRY(const auto whole, ReadWhole(key, {"DUMP", key}));
  if (!whole || !whole->lacks_members() || !without_max_ages) return whole;
  return ReadWhole(key, {"DUMP", key, "NOMAXAGE"});  // A Redis need not know the word.
}

Result<std::optional<TargetRow>> ServerTarget::ReadWhole(const std::string& key, Request dump) {
  MAYFLY_TRY(const std::vector<Reply> replies,
             client_->RunAll({{"MULTI"}, std::move(dump), {"PEXPIRETIME", key}, {"EXEC"}}));
  MAYFLY_RETURN_IF_ERROR(FirstError(replies));
  const Reply::Items& both = replies.back().items();
  const bool is_refused =
      both.at(0).is_error() && both.at(0).text().starts_with("ERR DUMP of a stream with a max age");
  if (!is_refused) MAYFLY_RETURN_IF_ERROR(FirstError(both));
  if (both.at(0).is_null()) return std::optional<TargetRow>();
  std::optional<WallTime> deadline;
  if (both.at(1).integer() > 0) deadline = WallTimeFromMs(both.at(1).integer());
  if (is_refused) return std::optional(StreamWithMaxAge(key, deadline));
  MAYFLY_TRY(server::DumpedValue value, server::DecodeDump(both.at(0).text()));
  return std::optional(WholeRow(key, deadline, std::move(value)));
}

Result<Reply> ServerTarget::Command(const std::vector<std::string>& args) {
  return is_patient_ ? client_->RunPatiently(args) : client_->Run(args);
}

Status ServerTarget::Listen(const std::vector<std::string>& args,
                            const std::function<bool(const Reply&)>& visit) {
  auto reply = client_->Run(args);
  while (reply && visit(*reply)) reply = client_->Receive();
  return reply.status();
}

}  // namespace mayfly::app
