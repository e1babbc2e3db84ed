// acl_user.h - a user: whether it may log in, its passwords, and its permissions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server/acl/acl_selector.h"

namespace mayfly::server {

// Joins the arguments that together are a selector, as in "(~a", "+get)". Invalid when a
// parenthesis is left open; `open_at` is then the argument it begins at.
Result<std::vector<std::string>> JoinSelectors(std::span<const Bytes> args, std::string& open_at);

// A value type: copied, changed and put in the place of the original.
class AclUser {
 public:
  // Off, without passwords and permissions; `all_channels`: may use every channel.
  AclUser(std::string name, const CommandTable& table, bool all_channels = false);

  // The setting acl-pubsub-default: the channels of `reset` and of new selectors.
  void set_all_channels_at_first(bool all_channels) { all_channels_at_first_ = all_channels; }

  // Applies one rule of ACL SETUSER. Invalid or, for an unknown command, NotFound, in Redis' words.
  Status Apply(Bytes rule);

  const std::string& name() const { return name_; }
  // Whether one of the selectors allows the channel, or the pattern of channels.
  bool AllowsChannel(Bytes name, bool is_pattern) const;

  bool enabled() const { return enabled_; }
  bool no_password() const { return no_password_; }

  // Whether this is one of the user's passwords; always true if it needs none.
  bool HasPassword(Bytes password) const;

  // "on", "nopass" and such, as ACL GETUSER lists them.
  std::vector<std::string> flags() const;
  const std::vector<std::string>& password_hashes() const { return password_hashes_; }
  const AclSelector& root() const { return selectors_.front(); }
  std::span<const AclSelector> selectors() const { return selectors_; }  // The root first.

  // The line of ACL LIST and of an ACL file.
  std::string Describe() const;

 private:
  enum class Sanitize : std::uint8_t { kUnsaid, kYes, kNo };

  bool ApplyFlag(Bytes rule);
  Status ApplyPassword(Bytes rule);
  Status AddSelector(Bytes rules);
  void Reset();
  AclSelector NewSelector() const;

  std::string name_;
  const CommandTable* table_;
  bool enabled_ = false;
  bool no_password_ = false;
  bool all_channels_at_first_;
  Sanitize sanitize_ = Sanitize::kUnsaid;  // Shown by GETUSER only: payloads are always checked.
  std::vector<std::string> password_hashes_;
  std::vector<AclSelector> selectors_;
};

}  // namespace mayfly::server
