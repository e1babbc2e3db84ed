// acl_user.h - a user: whether he may log in, by what passwords, and what he may do.
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

// A value: copied, changed and put in the place of what it was copied from.
class AclUser {
 public:
  // Off, without passwords, may do nothing; `all_channels`: but use every channel.
  AclUser(std::string name, const CommandTable& table, bool all_channels = false);

  // The setting acl-pubsub-default: what `reset` and new selectors begin with.
  void set_all_channels_at_first(bool all_channels) { all_channels_at_first_ = all_channels; }

  // Applies one rule of ACL SETUSER. Invalid or, for an unknown command, NotFound, in Redis' words.
  Status Apply(Bytes rule);

  const std::string& name() const { return name_; }
  // Whether one of his selectors allows the channel, or the pattern of channels.
  bool AllowsChannel(Bytes name, bool is_pattern) const;

  bool enabled() const { return enabled_; }
  bool no_password() const { return no_password_; }

  // Whether this password is one of his; always, if he needs none.
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
  Sanitize sanitize_ = Sanitize::kUnsaid;  // Kept for GETUSER: payloads are always checked here.
  std::vector<std::string> password_hashes_;
  std::vector<AclSelector> selectors_;
};

}  // namespace mayfly::server
