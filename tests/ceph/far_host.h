// far_host.h - a network namespace with a cable to this machine that can be cut: what runs in it is
// a host of its own, as far as Ceph can tell.
#pragma once

#include <memory>
#include <string>

namespace mayfly::engine::cluster::suite {

class FarHost {
 public:
  // Nothing where this process may not make networks: that takes root and iproute2.
  static std::unique_ptr<FarHost> Make();
  ~FarHost();
  FarHost(const FarHost&) = delete;
  FarHost& operator=(const FarHost&) = delete;

  const std::string& name() const { return name_; }
  // This machine's end of the cable: Ceph listens here.
  const std::string& machine_address() const { return machine_address_; }

  // From now on no packet passes; those under way are lost. False when it could not be done.
  bool Cut();
  bool Mend();

  // Moves this process there. Before it has threads; a failure ends the process.
  static void Enter(const std::string& name);

 private:
  FarHost();
  bool Connect();

  const std::string name_;
  const std::string cable_;  // This machine's end.
  const std::string machine_address_;
  const std::string far_address_;
};

}  // namespace mayfly::engine::cluster::suite
