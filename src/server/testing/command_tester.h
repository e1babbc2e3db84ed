// command_tester.h - runs commands of some families on a manual clock, without sockets and
// sessions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/testing/plain_transaction.h"
#include "mayfly/database.h"
#include "server/command/command.h"
#include "server/command/pieced_strings.h"
#include "server/session/scan_cursors.h"
#include "wire/reply.h"

namespace mayfly::server {

class CommandTester final : public CallHost {
 public:
  static constexpr int kDatabases = 16;

  // The store that the commands use.
  enum class Rows : std::uint8_t {
    kPlainMaps,  // Minimal. TTL commands without a transaction see no rows.
    kDatabase,   // The core, in memory.
  };

  explicit CommandTester(std::vector<CommandFamily> families, Rows rows = Rows::kPlainMaps);
  ~CommandTester() override;

  // Runs a command given as one line, quoted as redis-cli takes it, or as its arguments. Unknown
  // commands and wrong arities answer as Redis does.
  Reply Run(const std::string& line);
  Reply RunArgs(const std::vector<std::string>& args);

  // All replies of the command, for commands with more than one.
  std::vector<Reply> RunAll(const std::string& line);

  // The reply as text, short enough for EXPECT_EQ: (nil), (nil array), "bulk" as it is, simple
  // strings as they are, :1 as 1, errors as they are, [a, b] for arrays and sets, {k: v} for maps.
  std::string Text(const std::string& line);

  ManualClock& clock() { return clock_; }
  void SelectDatabase(int database) { database_ = database; }
  void UseProtocol(ProtocolVersion version) { version_ = version; }
  void AllowBlocking(bool allow) { may_block_ = allow; }
  void Retry(bool retried) { retried_ = retried; }  // As if the commands had been blocked before.
  void SetEncodingLimits(const EncodingLimits& limits) { encoding_limits_ = limits; }

  // The contexts of the ACL, pubsub and scripting families; each must outlive its use.
  void SetAcl(AclContext* context) { acl_ = context; }
  void SetPubSub(PubSubContext* context) { pubsub_ = context; }
  void SetScripts(ScriptContext* context) { scripts_ = context; }

  // The command or subcommand these arguments name; null, with the reason in `error`, if there is
  // none or the number of arguments is wrong.
  const CommandSpec* Find(std::span<const Bytes> args, std::string& error) const;

  // Notifications of the last command; "class event db key" each.
  const std::vector<std::string>& notifications() const { return notifications_; }
  const std::optional<BlockRequest>& blocked() const { return blocked_; }

  // Reads of the last command: "found/missed".
  std::string reads() const;

  core::LatchedTransaction& transaction() { return *transaction_; }  // Of the running command.

  core::TransactionKeyspace& Space(core::LatchedTransaction& transaction, int database) override;
  int databases() const override { return kDatabases; }
  void Notify(NotifyClass kind, std::string_view event, int database, Bytes key) override;
  void Block(BlockRequest request) override { blocked_ = std::move(request); }
  void CountReads(std::uint64_t found, std::uint64_t missed) override;
  const Clock& real_clock() const override { return clock_; }
  Random& random() override { return random_; }
  EncodingLimits encoding_limits() const override { return encoding_limits_; }
  ScanCursors& scan_cursors() override { return cursors_; }
  PiecedStrings& pieced_strings() override { return pieced_; }
  Database* database_handle() override { return database_handle_.get(); }
  Keyspace* keyspace(int database) override {
    return keyspaces_.at(static_cast<std::size_t>(database)).get();
  }
  Server* server() override { return nullptr; }
  Session* session() override { return nullptr; }
  AclContext* acl() override { return acl_; }
  PubSubContext* pubsub() override { return pubsub_; }
  ScriptContext* scripts() override { return scripts_; }

 private:
  const CommandSpec* FindName(Bytes name) const;
  std::vector<Reply> RunViews(std::span<const Bytes> args);
  std::unique_ptr<core::LatchedTransaction> NewTransaction();

  const std::vector<CommandFamily> families_;
  const Rows rows_;
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  // With plain maps, its keyspaces name the maps, and it holds only rows that a test puts there,
  // for commands without a latched transaction.
  std::unique_ptr<Database> database_handle_;
  std::vector<std::shared_ptr<Keyspace>> keyspaces_;
  core::PlainState state_;
  std::unique_ptr<core::LatchedTransaction> transaction_;
  Random random_{1};
  ScanCursors cursors_{clock_.Now()};
  PiecedStrings pieced_;
  EncodingLimits encoding_limits_;
  ProtocolVersion version_ = ProtocolVersion::kResp2;
  int database_ = 0;
  bool may_block_ = false;
  bool retried_ = false;
  std::vector<std::string> notifications_;
  std::optional<BlockRequest> blocked_;
  std::uint64_t found_ = 0;
  std::uint64_t missed_ = 0;
  AclContext* acl_ = nullptr;
  PubSubContext* pubsub_ = nullptr;
  ScriptContext* scripts_ = nullptr;
};

std::string TextOf(const Reply& reply);

// Positions of the command's keys; {-1}: the arguments do not tell.
inline std::vector<int> KeyPositions(const CommandSpec& spec, const std::vector<Bytes>& args) {
  std::vector<KeyUse> keys;
  if (!FindKeys(spec.keys, args, keys)) return {-1};
  std::vector<int> positions;
  for (const KeyUse& key : keys) positions.push_back(key.position);
  return positions;
}

}  // namespace mayfly::server
