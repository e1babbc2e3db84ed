// rados_options.h - which pool of which Ceph cluster, and as which user.
#pragma once

#include <chrono>
#include <string>

namespace mayfly::engine::cluster {

struct RadosOptions {
  std::string conf_file = "/etc/ceph/ceph.conf";
  std::string user = "client.admin";  // Its keyring is named in the file.
  std::string pool;                   // Replicated: erasure-coded pools have no maps.

  // A request without an answer is given up after this, and its outcome is unknown. A machine that
  // is lost without a reset costs about 24 s; a shorter time makes such commits be sent again
  // earlier, for nothing.
  std::chrono::seconds request_timeout{30};

  // Of the first contact.
  std::chrono::seconds connect_timeout{10};
};

}  // namespace mayfly::engine::cluster
