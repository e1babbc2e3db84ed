// rados_plugin.h - loads the part of mayfly that needs Ceph's librados, which nothing else does.
// libmayfly_rados.so is built where librados' headers are, installed as a component and package of its
// own, and loaded when a cluster is opened; so a mayfly without a cluster runs without Ceph.
#pragma once

#include <memory>
#include <string>

#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/plugin/rados_options.h"
#include "mayfly/result.h"

namespace mayfly::engine::cluster {

// The file that OpenRados() loads if none is named: that of this executable.
std::string RadosPluginFile();

// In the folder lib of a build, beside that of the executable; in the folder of plugins below the
// prefix that the executable is installed in; else a name, for the dynamic linker to find.
std::string RadosPluginBeside(const std::string& executable);

// Connects to a pool. The plugin stays loaded until the process ends.
// Unsupported when the plugin or librados is not there, with what to install; or when the plugin is
// of another build. Busy when no monitor answers; NotFound when there is no such pool; IoError for
// other refusals, a wrong key among them.
Result<std::shared_ptr<ObjectStore>> OpenRados(const RadosOptions& options,
                                               const std::string& plugin_file = {});

}  // namespace mayfly::engine::cluster
