// The plugin's one function: see engine/cluster/plugin/plugin_entry.h.
#include <cstring>
#include <exception>
#include <utility>

#include "engine/cluster/plugin/plugin_entry.h"
#include "engine/cluster/rados/rados_objects.h"

namespace mayfly::engine::cluster {
namespace {

bool Open(int interface, const char* compiler, PluginCall* call) {
  if (interface != kPluginInterface || std::strcmp(compiler, __VERSION__) != 0) return false;
  try {
    auto store = ConnectRados(*call->options);
    call->status = store.status();
    if (store) call->store = std::move(store).value();
  } catch (const std::exception& thrown) {
    call->status = Status::IoError(std::string("Ceph's client failed: ") + thrown.what());
  }
  return true;
}

}  // namespace
}  // namespace mayfly::engine::cluster

extern "C" __attribute__((visibility("default"))) bool mayfly_open_rados(
    int interface, const char* compiler, mayfly::engine::cluster::PluginCall* call) {
  return mayfly::engine::cluster::Open(interface, compiler, call);
}
