// Goal: without the plugin, or with one that does not fit, opening a cluster says what to do.
#include "engine/cluster/plugin/rados_plugin.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_directory.h"

namespace mayfly::engine::cluster {
namespace {

TEST(RadosPlugin, AMissingOneIsUnsupportedAndNamesWhatToInstall) {
  const auto store = OpenRados({.pool = "p"}, "/nowhere/libmayfly_rados.so");
  ASSERT_EQ(store.status().code(), StatusCode::kUnsupported);
  for (const char* const name : {"/nowhere/libmayfly_rados.so", "librados2", "mayfly-rados"}) {
    EXPECT_NE(store.status().message().find(name), std::string::npos) << store.status().message();
  }
}

TEST(RadosPlugin, IsFoundInABuildAndInAnInstallation) {
  const TemporaryDirectory root;
  const auto make = [&](const std::string& file) {
    const std::filesystem::path path = root.path() + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "a plugin";
    return path.string();
  };
  EXPECT_EQ(RadosPluginBeside(root.path() + "/usr/bin/mayfly"), "libmayfly_rados.so");
  const std::string folder = std::string("/usr/") + MAYFLY_PLUGIN_FOLDER;
  const std::string installed = make(folder + "/libmayfly_rados.so");
  EXPECT_EQ(RadosPluginBeside(root.path() + "/usr/bin/mayfly"), installed);
  const std::string built = make("/build/lib/libmayfly_rados.so");
  EXPECT_EQ(RadosPluginBeside(root.path() + "/build/bin/mayfly"), built);
  EXPECT_EQ(RadosPluginBeside(root.path() + "/build/tests/x_test"), built);
  EXPECT_EQ(RadosPluginBeside(root.path() + "/elsewhere/bin/mayfly"), "libmayfly_rados.so");
}

TEST(RadosPlugin, ALibraryWithoutItsFunctionIsUnsupported) {
  EXPECT_EQ(OpenRados({.pool = "p"}, "libc.so.6").status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace mayfly::engine::cluster
