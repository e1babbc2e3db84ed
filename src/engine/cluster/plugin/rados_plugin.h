// rados_plugin.h - loads the part of mayfly that needs Ceph's librados, which nothing else does.
// libmayfly_rados.so lies beside the libraries of mayfly. It is built where librados' headers are,
// and loaded when a cluster is opened; so a mayfly without a cluster runs without Ceph.
#pragma once

#include <memory>
#include <string>

#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/plugin/rados_options.h"
#include "mayfly/result.h"

namespace mayfly::engine::cluster {

// The file that OpenRados() loads if none is named: in the folder lib beside that of the
// executable, or where the dynamic linker finds it.
std::string RadosPluginFile();

// Connects to a pool. The plugin stays loaded until the process ends.
// Unsupported when the plugin or librados is not there, with what to install; or when the plugin is
// of another build. Busy when no monitor answers; NotFound when there is no such pool; IoError for
// other refusals, a wrong key among them.
Result<std::shared_ptr<ObjectStore>> OpenRados(const RadosOptions& options,
                                               const std::string& plugin_file = {});

}  // namespace mayfly::engine::cluster
