// ceph_lab.h - a Ceph of three OSDs on this machine, which a test program starts and stops itself.
#pragma once

#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/plugin/rados_options.h"

namespace mayfly::engine::cluster::suite {

struct LabOptions {
  std::string store = "bluestore";  // Or memstore, which forgets when it is killed.
  int monitors = 1;
  std::string address = "127.0.0.1";
};

class CephLab {
 public:
  // Starts it, by scripts/cephlab. A failure ends the process with what to install.
  explicit CephLab(LabOptions made);
  ~CephLab();

  RadosOptions options() const;

  // A connection of its own. A failure ends the process.
  std::shared_ptr<ObjectStore> Connect() const;

  // scripts/cephlab COMMAND with this Ceph; `argument` may be empty. False when it failed.
  bool Do(const std::string& command, const std::string& argument = {}) const;

 private:
  const TemporaryDirectory directory_;
  const std::string lab_;
  const LabOptions made_;
};

// A name for a database that no other test of this process has.
std::string FreshDatabase();

}  // namespace mayfly::engine::cluster::suite
