// Goal: the metrics of a server of a cluster count what it forwards and owns, in a number of lines that
// shards do not change. Method: servers over shards in memory; the page's lines.
#include "server/metrics/cluster_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

std::string PageOf(ClusterServed& served, std::size_t server) {
  MetricsWriter out;
  WriteCluster(out, *served.server(server).cluster());
  return out.Take();
}

bool Has(const std::string& page, const std::string& line) {
  return page.find("\n" + line + "\n") != std::string::npos;
}

TEST(ClusterMetrics, CountWhatIsForwarded) {
  ClusterServed served;
  TestClient client(served.port(0));
  EXPECT_TRUE(Has(PageOf(served, 0), "mayfly_cluster_forwarded_commands_total 0"));
  for (int i = 0; i < 3; ++i) client.Text("SET " + served.KeyIn(1) + " 1");
  client.Text("SET " + served.KeyIn(0) + " 1");
  const std::string page = PageOf(served, 0);
  EXPECT_TRUE(Has(page, "mayfly_cluster_forwarded_commands_total 3")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_forward_duration_seconds_count 3")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_forward_duration_seconds_bucket{le=\"+Inf\"} 3")) << page;
  EXPECT_TRUE(Has(PageOf(served, 1), "mayfly_cluster_forwarded_commands_total 0"));
}

// How long a wait for a key takes is the client's wish.
TEST(ClusterMetrics, LeaveOutTheTimeOfWaits) {
  ClusterServed served;
  TestClient client(served.port(0));
  EXPECT_EQ(client.Text("BLPOP " + served.KeyIn(1) + " 0.01"), "(nil array)");
  const std::string page = PageOf(served, 0);
  EXPECT_TRUE(Has(page, "mayfly_cluster_forwarded_commands_total 1")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_forward_duration_seconds_count 0")) << page;
}

TEST(ClusterMetrics, ShowShardsAndServers) {
  ClusterServed served;
  served.shards().Release(1);
  served.shards().SetState(1, ClusterMember::State::kSilent);
  const std::string page = PageOf(served, 0);
  EXPECT_TRUE(Has(page, "mayfly_cluster_shards 4")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_shards_owned 2")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_shards_served 2")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_shards_without_owner 1")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_servers{state=\"reachable\"} 1")) << page;
  EXPECT_TRUE(Has(page, "mayfly_cluster_servers{state=\"silent\"} 1")) << page;
}

TEST(ClusterMetrics, HaveAsManyLinesWithMoreShards) {
  ClusterServed few({.servers = 2, .shards = 2});
  ClusterServed many({.servers = 2, .shards = 64});
  const auto lines = [](const std::string& page) {
    return std::count(page.begin(), page.end(), '\n');
  };
  EXPECT_EQ(lines(PageOf(few, 0)), lines(PageOf(many, 0)));
}

}  // namespace
}  // namespace mayfly::server
