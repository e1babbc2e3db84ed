// Goal: every command about the server has a summary and can be found.
#include "server/admin/admin_families.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mayfly::server {
namespace {

TEST(AdminFamilies, AreSortedAndSayWhatTheyDo) {
  for (const CommandFamily& family : AdminFamilies()) {
    EXPECT_TRUE(std::is_sorted(family.commands.begin(), family.commands.end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }))
        << family.group;
    for (const CommandSpec& spec : family.commands) {
      EXPECT_TRUE(spec.manual.summary.ends_with('.')) << spec.name;
      EXPECT_TRUE(spec.handler != nullptr || !spec.subcommands.empty()) << spec.name;
    }
  }
}

}  // namespace
}  // namespace mayfly::server
