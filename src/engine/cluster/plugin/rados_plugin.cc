#include "engine/cluster/plugin/rados_plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/cluster/plugin/plugin_entry.h"

namespace mayfly::engine::cluster {
namespace {

constexpr const char* kPluginName = "libmayfly_rados.so";

// Below the prefix of an installation, or absolute.
constexpr const char* kPluginFolder = MAYFLY_PLUGIN_FOLDER;

Status Missing(const std::string& file, const char* why) {
  return Status::Unsupported(fmt::format(
      "a database on Ceph needs {} and Ceph's client library, and loading it failed: {}. Install "
      "the package mayfly-rados, which brings librados2; a build of mayfly has the plugin if "
      "librados-dev and libradospp-dev were there",
      file, why != nullptr ? why : "no reason was given"));
}

}  // namespace

std::string RadosPluginFile() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? kPluginName : RadosPluginBeside(executable.string());
}

std::string RadosPluginBeside(const std::string& executable) {
  const auto folder = std::filesystem::path(executable).parent_path();
  const auto prefix = folder.parent_path();
  for (const auto& place : {folder / "lib", prefix / "lib", prefix / kPluginFolder}) {
    const auto file = place / kPluginName;
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file.string();
  }
  return kPluginName;
}

Result<std::shared_ptr<ObjectStore>> OpenRados(const RadosOptions& options,
                                               const std::string& plugin_file) {
  const std::string file = plugin_file.empty() ? RadosPluginFile() : plugin_file;
  void* const plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return Missing(file, dlerror());
  void* const symbol = dlsym(plugin, kPluginEntryName);
  if (symbol == nullptr) return Missing(file, dlerror());
  const auto entry = reinterpret_cast<PluginEntry>(symbol);
  PluginCall call{.options = &options};
  if (!entry(kPluginInterface, __VERSION__, &call)) {
    return Status::Unsupported(
        fmt::format("{} is of another build than this mayfly; install both of one", file));
  }
  if (!call.status.ok()) return call.status;
  return std::move(call.store);
}

}  // namespace mayfly::engine::cluster
