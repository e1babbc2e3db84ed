// Goal: without the plugin, or with one that does not fit, opening a cluster says what to do.
#include "engine/cluster/plugin/rados_plugin.h"

#include <gtest/gtest.h>

namespace mayfly::engine::cluster {
namespace {

TEST(RadosPlugin, AMissingOneIsUnsupportedAndNamesWhatToInstall) {
  const auto store = OpenRados({.pool = "p"}, "/nowhere/libmayfly_rados.so");
  ASSERT_EQ(store.status().code(), StatusCode::kUnsupported);
  for (const char* const name : {"/nowhere/libmayfly_rados.so", "librados2", "librados-dev"}) {
    EXPECT_NE(store.status().message().find(name), std::string::npos) << store.status().message();
  }
}

TEST(RadosPlugin, ALibraryWithoutItsFunctionIsUnsupported) {
  EXPECT_EQ(OpenRados({.pool = "p"}, "libc.so.6").status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace mayfly::engine::cluster
