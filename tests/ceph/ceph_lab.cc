#include "tests/ceph/ceph_lab.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "engine/cluster/plugin/rados_plugin.h"

namespace mayfly::engine::cluster::suite {

CephLab::CephLab(LabOptions made) : lab_(directory_.Inside("lab")), made_(std::move(made)) {
  MAYFLY_CHECK(Do("up"),
               "Ceph did not start; install it: apt-get install --no-install-recommends ceph-mon "
               "ceph-mgr ceph-osd ceph-common");
}

CephLab::~CephLab() { static_cast<void>(Do("remove")); }

RadosOptions CephLab::options() const {
  RadosOptions options;
  options.conf_file = lab_ + "/ceph.conf";
  options.pool = "mayfly";
  return options;
}

std::shared_ptr<ObjectStore> CephLab::Connect() const {
  auto store = OpenRados(options(), MAYFLY_RADOS_PLUGIN);
  MAYFLY_CHECK(store.has_value(), store.status().ToString().c_str());
  return *std::move(store);
}

bool CephLab::Do(const std::string& command, const std::string& argument) const {
  const std::string line =
      fmt::format("CEPHLAB_STORE={} CEPHLAB_MONS={} CEPHLAB_ADDRESS={} {} {} '{}' {}", made_.store,
                  made_.monitors, made_.address, MAYFLY_CEPHLAB, command, lab_, argument);
  return std::system(line.c_str()) == 0;
}

std::string FreshDatabase() {
  static std::atomic<int> last{0};
  return fmt::format("db{}", ++last);
}

}  // namespace mayfly::engine::cluster::suite
