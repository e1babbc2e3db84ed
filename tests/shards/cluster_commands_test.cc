// Goal: CLUSTER describes the servers and their slots as Redis 7.0 does. Method: two servers over
// four shards in memory; and a server alone, which has no cluster.
#include <gtest/gtest.h>

#include <string>

#include "server/front_served.h"
#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

const std::string kFirstId = std::string(39, '0') + "1";
const std::string kSecondId = std::string(39, '0') + "2";

TEST(ClusterCommands, SlotsAreTheRangesInOrder) {
  ClusterServed served;
  served.shards().Give(1, 0);
  TestClient client(served.port(1));
  const std::string first = ", [127.0.0.1, " + std::to_string(served.port(0)) + ", " + kFirstId;
  const std::string second = ", [127.0.0.1, " + std::to_string(served.port(1)) + ", " + kSecondId;
  EXPECT_EQ(client.Text("CLUSTER SLOTS"),
            "[[0, 12287" + first + ", []]], [12288, 16383" + second + ", []]]]");
  served.shards().Release(2);
  EXPECT_EQ(client.Text("CLUSTER SLOTS"),
            "[[0, 8191" + first + ", []]], [12288, 16383" + second + ", []]]]");
}

TEST(ClusterCommands, ShardsAreTheServers) {
  ClusterServed served;
  TestClient client(served.port(0));
  const auto node = [&](std::size_t server, const std::string& id) {
    return "[id, " + id + ", port, " + std::to_string(served.port(server)) +
           ", ip, 127.0.0.1, endpoint, 127.0.0.1, role, master, replication-offset, 0, health, " +
           (server == 0 ? "online" : "fail") + "]";
  };
  served.shards().SetState(1, ClusterMember::State::kGone);
  EXPECT_EQ(client.Text("CLUSTER SHARDS"),
            "[[slots, [0, 4095, 8192, 12287], nodes, [" + node(0, kFirstId) +
                "]], [slots, [4096, 8191, 12288, 16383], nodes, [" + node(1, kSecondId) + "]]]");
}

TEST(ClusterCommands, NodesHaveALineEach) {
  ClusterServed served;
  served.shards().SetState(1, ClusterMember::State::kSilent);
  TestClient client(served.port(0));
  const auto bus = [&](std::size_t server) {
    return "@" + std::to_string(served.port(server) + 10'000);
  };
  EXPECT_EQ(client.Text("CLUSTER NODES"),
            kFirstId + " " + served.AddressOf(0) + bus(0) +
                " myself,master - 0 0 1 connected 0-4095 8192-12287\n" + kSecondId + " " +
                served.AddressOf(1) + bus(1) +
                " master,fail? - 0 0 2 disconnected 4096-8191 12288-16383\n");
  EXPECT_EQ(client.Text("CLUSTER COUNT-FAILURE-REPORTS " + kFirstId), "0");
  EXPECT_EQ(client.Text("CLUSTER COUNT-FAILURE-REPORTS " + kSecondId), "1");
  EXPECT_EQ(client.Text("CLUSTER COUNT-FAILURE-REPORTS x"), "ERR Unknown node x");
  EXPECT_EQ(client.Text("CLUSTER REPLICAS " + kSecondId), "[]");
}

TEST(ClusterCommands, InfoCountsSlotsAndServers) {
  ClusterServed served;
  TestClient client(served.port(1));
  std::string text = client.Text("CLUSTER INFO");
  for (const char* line :
       {"cluster_state:ok\r\n", "cluster_slots_assigned:16384\r\n", "cluster_slots_ok:16384\r\n",
        "cluster_slots_pfail:0\r\n", "cluster_slots_fail:0\r\n", "cluster_known_nodes:2\r\n",
        "cluster_size:2\r\n", "cluster_my_epoch:2\r\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  served.shards().Release(3);
  served.shards().SetState(0, ClusterMember::State::kSilent);
  text = client.Text("CLUSTER INFO");
  for (const char* line : {"cluster_state:fail\r\n", "cluster_slots_assigned:12288\r\n",
                           "cluster_slots_ok:4096\r\n", "cluster_slots_pfail:8192\r\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(client.Text("CLUSTER MYID"), kSecondId);
  EXPECT_NE(client.Text("INFO cluster").find("cluster_enabled:1\r\n"), std::string::npos);
  EXPECT_NE(client.Text("INFO server").find("redis_mode:cluster\r\n"), std::string::npos);
  EXPECT_NE(client.Text("HELLO").find("mode, cluster"), std::string::npos);
}

TEST(ClusterCommands, KeysOfASlotAreThoseHere) {
  ClusterServed served;
  TestClient client(served.port(0));
  client.Text("READONLY");
  const std::string tag = "{" + served.KeyIn(0) + "}";
  const std::string slot = client.Text("CLUSTER KEYSLOT " + tag);
  EXPECT_EQ(slot, client.Text("CLUSTER KEYSLOT " + served.KeyIn(0)));
  EXPECT_EQ(client.Text("CLUSTER KEYSLOT 123456789"), "12739");
  for (const char* name : {"a", "b", "c"}) client.Text("SET " + tag + name + " 1");
  client.Text("SET " + served.KeyIn(0, "other") + " 1");
  client.Text("SET " + tag + "dead 1 PX 10");
  served.clock().Advance(Millis(10));
  EXPECT_EQ(client.Text("CLUSTER COUNTKEYSINSLOT " + slot), "3");
  EXPECT_EQ(client.Text("CLUSTER GETKEYSINSLOT " + slot + " 2"), "[" + tag + "a, " + tag + "b]");
  EXPECT_EQ(client.Text("CLUSTER GETKEYSINSLOT " + slot + " 0"), "[]");
  TestClient other(served.port(1));
  EXPECT_EQ(other.Text("CLUSTER COUNTKEYSINSLOT " + slot), "0");
  EXPECT_EQ(client.Text("CLUSTER COUNTKEYSINSLOT 16384"), "ERR Invalid slot");
  EXPECT_EQ(client.Text("CLUSTER GETKEYSINSLOT 1 -1"), "ERR Invalid slot or number of keys");
}

TEST(ClusterCommands, SlotsAreNotAssignedByHand) {
  ClusterServed served;
  TestClient client(served.port(0));
  EXPECT_EQ(
      client.Text("CLUSTER MEET 127.0.0.1 1"),
      "ERR 'cluster|meet' is not offered by mayfly yet: the servers of a cluster share slots by "
      "themselves");
  EXPECT_EQ(client.Text("CLUSTER nope"), "ERR unknown subcommand 'nope'. Try CLUSTER HELP.");
}

TEST(ClusterCommands, AServerAloneHasNoCluster) {
  FrontServed served;
  TestClient client(served.port());
  const std::string disabled = "ERR This instance has cluster support disabled";
  for (const char* line : {"CLUSTER INFO", "CLUSTER SLOTS", "CLUSTER KEYSLOT a", "CLUSTER HELP",
                           "READONLY", "READWRITE", "ASKING"}) {
    EXPECT_EQ(client.Text(line), disabled) << line;
  }
  EXPECT_NE(client.Text("INFO cluster").find("cluster_enabled:0\r\n"), std::string::npos);
  EXPECT_EQ(client.Text("MSET a 1 b 2"), "OK");
  EXPECT_EQ(client.Text("SCAN at:00"), "ERR invalid cursor");
}

}  // namespace
}  // namespace mayfly::server
