// plugin_entry.h - the one function of the plugin, and how both sides know that they fit.
// Types of C++ cross this border, so the plugin must be of the same build: it refuses another
// version.
#pragma once

#include <memory>
#include <string>

#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/plugin/rados_options.h"
#include "mayfly/status.h"

namespace mayfly::engine::cluster {

struct PluginCall {
  const RadosOptions* options = nullptr;
  std::shared_ptr<ObjectStore> store = nullptr;  // Set on success.
  Status status = {};                            // Why there is none.
};

// Changes with any of the types above, or of object_store.h.
inline constexpr int kPluginInterface = 1;

inline constexpr const char* kPluginEntryName = "mayfly_open_rados";

// False, and nothing done, when `interface` or `compiler` is not the plugin's own.
using PluginEntry = bool (*)(int interface, const char* compiler, PluginCall* call);

}  // namespace mayfly::engine::cluster
