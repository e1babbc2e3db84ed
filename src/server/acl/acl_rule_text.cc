// acl_rule_text.cc - what a selector allows, as rules; the rest of AclSelector is in
// acl_selector.cc.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "server/acl/acl_selector.h"

namespace mayfly::server {

// The category that describes the remaining commands best: the fewest exceptions, and among those
// the most matches. 0 when none has more matches than exceptions.
CategoryBits AclSelector::BestCategory(CategoryBits applied, bool additive) const {
  CategoryBits best = 0;
  std::size_t fewest_wrong = std::numeric_limits<std::size_t>::max();
  std::size_t most_right = 0;
  for (std::size_t i = 0; i < CategoryNames().size(); ++i) {
    const CategoryBits category = CategoryBits{1} << i;
    if ((applied & category) != 0) continue;
    std::size_t right = 0;
    std::size_t wrong = 0;
    for (const auto& command : table_->entries()) {
      if ((command->categories & category) == 0) continue;
      ++(commands_[command->id] == additive ? right : wrong);
    }
    if (right <= wrong) continue;
    if (wrong < fewest_wrong || (wrong == fewest_wrong && right > most_right)) {
      best = category;
      fewest_wrong = wrong;
      most_right = right;
    }
  }
  return best;
}

std::string AclSelector::DescribeCommands() const {
  const bool additive = !future_commands_;
  std::vector<std::string> rules = {additive ? "-@all" : "+@all"};
  AclSelector told(*table_);  // What the rules so far allow.
  told.SetAll(!additive);
  AclSelector left = *this;  // What they do not cover yet, relative to their start.
  CategoryBits applied = 0;
  while (const CategoryBits best = left.BestCategory(applied, additive)) {
    applied |= best;
    told.SetCategory(best, additive);
    left.SetCategory(best, !additive);
    const auto number = static_cast<std::size_t>(__builtin_ctz(best));
    rules.push_back(fmt::format("{}@{}", additive ? '+' : '-', CategoryNames()[number]));
  }
  for (std::size_t i = 0; i < CategoryNames().size(); ++i) {
    if ((exceptions_ & (CategoryBits{1} << i)) == 0) continue;
    rules.push_back(fmt::format("{}@{}", additive ? '+' : '-', CategoryNames()[i]));
  }
  for (const auto& command : table_->entries()) {
    const bool allowed = commands_[command->id];
    if (allowed != told.commands_[command->id]) {
      rules.push_back(fmt::format("{}{}", allowed ? '+' : '-', command->full_name));
      told.SetCommand(*command, allowed);
    }
    const auto found = first_args_.find(command->id);
    if (allowed || found == first_args_.end()) continue;
    for (const std::string& first : found->second) {
      rules.push_back(fmt::format("+{}|{}", command->full_name, first));
    }
  }
  return fmt::format("{}", fmt::join(rules, " "));
}

std::string AclSelector::DescribeKeys() const {
  if (all_keys_) return "~*";
  std::vector<std::string> rules;
  for (const KeyPattern& one : keys_) {
    const char* const prefix = one.permissions == kKeyBoth   ? "~"
                               : one.permissions == kKeyRead ? "%R~"
                                                             : "%W~";
    rules.push_back(prefix + one.pattern);
  }
  return fmt::format("{}", fmt::join(rules, " "));
}

std::string AclSelector::DescribeChannels() const {
  if (all_channels_) return "&*";
  std::vector<std::string> rules;
  for (const std::string& pattern : channels_) rules.push_back("&" + pattern);
  return fmt::format("{}", fmt::join(rules, " "));
}

std::string AclSelector::Describe() const {
  std::string text = DescribeKeys();
  if (!text.empty()) text += ' ';
  if (!all_channels_) text += "resetchannels ";
  const std::string channels = DescribeChannels();
  if (!channels.empty()) text += channels + ' ';
  return text + DescribeCommands();
}

}  // namespace mayfly::server
