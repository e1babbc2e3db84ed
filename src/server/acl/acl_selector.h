// acl_selector.h - one set of permissions: commands, keys and channels that go together.
// A user has one, and may have more: a command is allowed if one of them allows all of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/status.h"
#include "server/command/command_table.h"

namespace mayfly::server {

enum KeyPermission : std::uint8_t { kNoPermission = 0, kKeyRead = 1, kKeyWrite = 2, kKeyBoth = 3 };

class AclSelector {
 public:
  // Allows nothing. `table` must outlive it.
  explicit AclSelector(const CommandTable& table);

  // Applies a rule on keys, channels or commands, such as "~cache:*" or "+@read". Invalid, in
  // Redis' words, if it is no rule, and NotFound if it names an unknown command; then nothing
  // changes.
  Status Apply(Bytes rule);

  // As ACL LIST and ACL GETUSER show it. Commands are shown by as few rules as describe what is
  // allowed now, whatever rules were applied.
  std::string DescribeCommands() const;
  std::string DescribeKeys() const;
  std::string DescribeChannels() const;
  std::string Describe() const;  // All three, as rules that recreate it.

  bool allows_everything() const { return all_commands_ && all_keys_ && all_channels_; }
  bool AllowsCommand(const CommandEntry& command, std::span<const Bytes> args) const;

  // Whether every access to the key is allowed. To test that it exists any permission will do.
  bool AllowsKey(Bytes key, KeyFlags flags) const;
  bool ReadsAllKeys() const;
  bool AllowsChannel(Bytes channel, bool literal) const;

 private:
  struct KeyPattern {
    std::string pattern;
    std::uint8_t permissions;
  };

  Status ApplyKeys(Bytes rule);
  Status ApplyChannels(Bytes rule);
  Status Allow(Bytes name);
  Status Deny(Bytes name);
  Status ApplyCategory(Bytes name, bool allow);
  void SetAll(bool allow);
  void SetCommand(const CommandEntry& command, bool allow);
  void SetCategory(CategoryBits category, bool allow);
  CategoryBits BestCategory(CategoryBits applied, bool additive) const;

  const CommandTable* table_;
  bool all_keys_ = false;
  bool all_channels_ = false;
  bool all_commands_ = false;     // No rule has removed anything since +@all.
  bool future_commands_ = false;  // Commands that a later version of the server adds.
  // Categories without commands yet for which a rule differs from future_commands_.
  CategoryBits exceptions_ = 0;
  std::vector<KeyPattern> keys_;
  std::vector<std::string> channels_;
  std::vector<bool> commands_;  // By CommandEntry::id.
  // Commands that are allowed only with these first arguments.
  std::map<std::size_t, std::vector<std::string>> first_args_;
};

}  // namespace mayfly::server
