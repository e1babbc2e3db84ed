// acl_selector.h - one set of permissions: commands, keys and channels that go together.
// A user has one, and may have more: a command is allowed if one of them allows all of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/status.h"
#include "server/acl/command_catalog.h"
#include "server/acl/key_access.h"

namespace mayfly::server {

class AclSelector {
 public:
  // Allows nothing. `catalog` must outlive it.
  explicit AclSelector(const CommandCatalog& catalog);

  // Applies a rule on keys, channels or commands, such as "~cache:*" or "+@read". Invalid, in
  // Redis' words, if it is none, and NotFound if it names an unknown command; then nothing is
  // changed.
  Status Apply(Bytes rule);

  // What ACL LIST and ACL GETUSER show. Commands are shown by as few rules as describe what is
  // allowed now, whatever the rules were by which it came about.
  std::string DescribeCommands() const;
  std::string DescribeKeys() const;
  std::string DescribeChannels() const;
  std::string Describe() const;  // All three, as rules that make it.

  bool allows_everything() const { return all_commands_ && all_keys_ && all_channels_; }
  bool AllowsCommand(std::size_t command, std::span<const Bytes> args) const;
  bool AllowsKey(Bytes key, KeyPermission needs) const;
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
  void SetCommand(std::size_t command, bool allow);
  void SetCategory(AclCategories category, bool allow);
  AclCategories BestCategory(AclCategories applied, bool additive) const;

  const CommandCatalog* catalog_;
  bool all_keys_ = false;
  bool all_channels_ = false;
  bool all_commands_ = false;     // No rule has taken anything away since +@all.
  bool future_commands_ = false;  // What a later version of the server adds.
  // Of what there are no commands of yet, and a rule has said otherwise than of other later ones.
  AclCategories exceptions_ = 0;
  std::vector<KeyPattern> keys_;
  std::vector<std::string> channels_;
  std::vector<bool> commands_;  // By number.
  // Commands that are allowed with these first arguments alone.
  std::map<std::size_t, std::vector<std::string>> first_args_;
};

}  // namespace mayfly::server
