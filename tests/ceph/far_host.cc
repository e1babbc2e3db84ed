#include "tests/ceph/far_host.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "base/check.h"

namespace mayfly::engine::cluster::suite {
namespace {

// Networks of four addresses within 198.18.0.0/16, which is set aside for tests of networks. The
// process id picks one, so that programs which run at once do not meet.
constexpr int kNetworks = 1 << 14;

std::string Address(int end) {
  const int first = ::getpid() % kNetworks * 4;
  return fmt::format("198.18.{}.{}", first / 256, first % 256 + end);
}

bool Run(const std::string& line) { return std::system((line + " 2>/dev/null").c_str()) == 0; }

}  // namespace

FarHost::FarHost()
    : name_(fmt::format("mayfly{}", ::getpid())),
      cable_(fmt::format("mf{}", ::getpid())),
      machine_address_(Address(1)),
      far_address_(Address(2)) {}

std::unique_ptr<FarHost> FarHost::Make() {
  std::unique_ptr<FarHost> host(new FarHost);
  if (!host->Connect()) host.reset();
  return host;
}

bool FarHost::Connect() {
  return Run(fmt::format("ip netns add {}", name_)) &&
         Run(fmt::format("ip link add {} type veth peer name far netns {}", cable_, name_)) &&
         Run(fmt::format("ip addr add {}/30 dev {}", machine_address_, cable_)) &&
         Run(fmt::format("ip -n {} addr add {}/30 dev far", name_, far_address_)) &&
         Run(fmt::format("ip -n {} link set lo up", name_)) &&
         Run(fmt::format("ip -n {} link set far up", name_)) && Mend();
}

FarHost::~FarHost() {
  Run("ip link del " + cable_);
  Run("ip netns del " + name_);
}

bool FarHost::Cut() { return Run(fmt::format("ip link set {} down", cable_)); }
bool FarHost::Mend() { return Run(fmt::format("ip link set {} up", cable_)); }

void FarHost::Enter(const std::string& name) {
  const int network = ::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  MAYFLY_CHECK(network >= 0 && ::setns(network, CLONE_NEWNET) == 0, "no such network");
  ::close(network);
}

}  // namespace mayfly::engine::cluster::suite
