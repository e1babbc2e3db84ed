#include "tables/schema/transact_token.h"

#include <fmt/format.h>

#include "base/checksum.h"
#include "base/coding.h"
#include "items/item_codec.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

constexpr char kKeyspaceName[] = "tables.tokens";
constexpr char kTokenFormat = 1;  // Stored; append, never renumber.
constexpr std::size_t kHashBytes = 16;

// Serialises an action completely, so that different actions have different bytes.
class Writer {
 public:
  void operator()(const PutItemRequest& request) {
    Begin('p', request.table);
    Add(request.item);
    AddRest(request);
    AddVersion(request.expected_version);
  }
  void operator()(const UpdateItemRequest& request) {
    Begin('u', request.table);
    Add(request.key);
    Add(request.update);
    AddRest(request);
    AddVersion(request.expected_version);
  }
  void operator()(const DeleteItemRequest& request) {
    Begin('d', request.table);
    Add(request.key);
    AddRest(request);
    AddVersion(request.expected_version);
  }
  void operator()(const ConditionCheck& request) {
    Begin('c', request.table);
    Add(request.key);
    AddRest(request);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void Begin(char kind, const std::string& table) {
    bytes_.push_back(kind);
    Add(table);
  }
  void Add(const std::string& text) { AppendSized(bytes_, text); }
  void Add(const Item& item) { AppendSized(bytes_, items::EncodeItem(item, 0)); }

  template <typename Request>
  void AddRest(const Request& request) {
    Add(request.condition);
    AppendVarint(bytes_, static_cast<std::uint64_t>(request.on_failure));
    AppendVarint(bytes_, request.arguments.names.size());
    for (const auto& [placeholder, name] : request.arguments.names) {
      Add(placeholder);
      Add(name);
    }
    Add(Item(request.arguments.values.begin(), request.arguments.values.end()));
  }
  void AddVersion(const std::optional<std::uint64_t>& version) {
    bytes_.push_back(version ? '\1' : '\0');
    if (version) AppendVarint(bytes_, *version);
  }

  std::string bytes_;
};

std::string HashOf(const std::vector<TransactWrite>& actions) {
  Writer writer;
  for (const TransactWrite& one : actions) std::visit(writer, one.action);
  std::string hash;
  AppendBigEndian64(hash, Hash64(writer.bytes(), 0));
  AppendBigEndian64(hash, Hash64(writer.bytes(), 1));
  return hash;
}

Result<std::shared_ptr<Keyspace>> Rows(Database& database) {
  auto opened = database.OpenKeyspace(kKeyspaceName);
  if (opened || !opened.error().IsNotFound()) return opened;
  auto made = database.CreateKeyspace(kKeyspaceName);
  if (made) return made;
  return database.OpenKeyspace(kKeyspaceName);  // Another thread was faster.
}

}  // namespace

Result<TransactToken> TransactToken::Of(Database& database, const std::string& token,
                                        const std::vector<TransactWrite>& actions) {
  if (token.size() > kTokenBytesMax) {
    return Status::Invalid(
        fmt::format("1 validation error detected: Value at 'clientRequestToken' failed to satisfy "
                    "constraint: Member must have length less than or equal to {}",
                    kTokenBytesMax));
  }
  MAYFLY_TRY(auto rows, Rows(database));
  return TransactToken(std::move(rows), token, HashOf(actions));
}

Result<std::optional<TransactOutcome>> TransactToken::Known(Transaction& transaction) const {
  const auto value = transaction.In(*rows_).KeyspaceReader::Get(token_);
  if (!value && value.error().IsNotFound()) return std::optional<TransactOutcome>();
  if (!value) return value.error();
  Bytes rest = *value;
  const Status damaged = Status::Corruption("a damaged token of a transaction");
  if (rest.size() < 1 + kHashBytes || rest.front() != kTokenFormat) return damaged;
  if (rest.substr(1, kHashBytes) != hash_) {
    return Status::Conflict(
        fmt::format("the token was used with other actions within the last {} minutes",
                    std::chrono::duration_cast<std::chrono::minutes>(kTokenTtl).count()));
  }
  rest.remove_prefix(1 + kHashBytes);
  TransactOutcome outcome;
  while (!rest.empty()) {
    std::uint64_t bytes = 0;
    if (!EatVarint(rest, bytes)) return damaged;
    outcome.bytes.push_back(bytes);
  }
  outcome.verdicts.resize(outcome.bytes.size());
  return std::optional(std::move(outcome));
}

Status TransactToken::Remember(Transaction& transaction, const TransactOutcome& outcome) const {
  std::string value(1, kTokenFormat);
  value += hash_;
  for (const std::uint64_t bytes : outcome.bytes) AppendVarint(value, bytes);
  return transaction.In(*rows_).Put(token_, value, Lifetime::For(kTokenTtl));
}

}  // namespace mayfly::tables
