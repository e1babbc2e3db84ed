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

Status Missing(const std::string& file, const char* why) {
  return Status::Unsupported(fmt::format(
      "a database on Ceph needs {} and Ceph's client library, and loading it failed: {}. Install "
      "Debian's librados2 beside mayfly; a build of mayfly has the plugin if librados-dev and "
      "libradospp-dev were there",
      file, why != nullptr ? why : "no reason was given"));
}

}  // namespace

std::string RadosPluginFile() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  for (auto folder = executable.parent_path(); !error && folder.has_relative_path();
       folder = folder.parent_path()) {
    const auto file = folder / "lib" / kPluginName;
    if (std::filesystem::exists(file, error)) return file.string();
    if (folder == executable.parent_path().parent_path()) break;
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
