// latency_commands.cc - LATENCY and its subcommands.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "server/admin/admin_handlers.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"
#include "server/session/gathered_statistics.h"

namespace mayfly::server::admin {
namespace {

const LatencySeries* FindSeries(const std::map<std::string, LatencySeries, std::less<>>& all,
                                Bytes event) {
  const auto found = all.find(event);
  return found == all.end() ? nullptr : &found->second;
}

// The reaper reports its latency after a purge; the age of what is still due is read here.
std::map<std::string, LatencySeries, std::less<>> AllEvents(Server& server) {
  if (server.config().Number(Setting::kLatencyMonitorThreshold) > 0) {
    if (const auto statistics = GatherStatistics(server)) {
      for (const KeyspaceStatistics& keyspace : statistics->keyspaces) {
        if (server.latency_events().ResetWithin(keyspace.lag, server.Steady())) continue;
        server.NoteLatency("expire-cycle", keyspace.lag);
      }
    }
  }
  return server.latency_events().All();
}

// Powers of two in microseconds, each with how many took at most that long.
void WriteBuckets(ReplyWriter& reply, const LatencyHistogram::Counts& counts) {
  const auto buckets = reply.BeginDeferred(Aggregate::kMap);
  std::size_t shown = 0;
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  const std::uint64_t total = CountOf(counts);
  for (std::uint64_t bound = 1; seen < total; bound *= 2) {
    const std::uint64_t before = seen;
    while (bucket < counts.size() && LatencyHistogram::LastOf(bucket) <= bound) {
      seen += counts[bucket++];
    }
    if (seen == before) continue;
    reply.Integer(static_cast<std::int64_t>(bound));
    reply.Integer(static_cast<std::int64_t>(seen));
    ++shown;
  }
  reply.EndDeferred(buckets, shown);
}

}  // namespace

Answer LatencyLatest(Call& call) {
  const auto all = AllEvents(ServerOf(call));
  call.reply.Array(all.size());
  for (const auto& [event, series] : all) {
    call.reply.Array(4);
    call.reply.Bulk(event);
    call.reply.Integer(series.samples.back().at_seconds);
    call.reply.Integer(static_cast<std::int64_t>(series.samples.back().millis));
    call.reply.Integer(static_cast<std::int64_t>(series.max_millis));
  }
  return {};
}

Answer LatencyHistory(Call& call) {
  const auto all = AllEvents(ServerOf(call));
  const LatencySeries* const series = FindSeries(all, call.args[2]);
  call.reply.Array(series != nullptr ? series->samples.size() : 0);
  if (series == nullptr) return {};
  for (const LatencySample& sample : series->samples) {
    call.reply.Array(2);
    call.reply.Integer(sample.at_seconds);
    call.reply.Integer(static_cast<std::int64_t>(sample.millis));
  }
  return {};
}

Answer LatencyReset(Call& call) {
  std::vector<std::string> events;
  for (const Bytes event : call.args.subspan(2)) events.emplace_back(event);
  Server& server = ServerOf(call);
  const std::size_t reset = server.latency_events().Reset(events, server.Steady());
  call.reply.Integer(static_cast<std::int64_t>(reset));
  return {};
}

Answer LatencyGraph(Call& call) {
  const auto all = AllEvents(ServerOf(call));
  const LatencySeries* const series = FindSeries(all, call.args[2]);
  if (series == nullptr) {
    return Status::Invalid(fmt::format("No samples available for event '{}'", call.args[2]));
  }
  constexpr std::size_t kRows = 4;
  std::uint64_t high = 1;
  std::uint64_t low = UINT64_MAX;
  for (const LatencySample& sample : series->samples) {
    high = std::max(high, sample.millis);
    low = std::min(low, sample.millis);
  }
  std::string text = fmt::format("{} - high {} ms, low {} ms (all time high {} ms)\n{}\n",
                                 call.args[2], high, low, series->max_millis, std::string(80, '-'));
  for (std::size_t row = kRows; row > 0; --row) {
    for (const LatencySample& sample : series->samples) {
      text += sample.millis * kRows >= high * row ? '#' : ' ';
    }
    text += '\n';
  }
  call.reply.Verbatim("txt", text);
  return {};
}

Answer LatencyDoctor(Call& call) {
  Server& server = ServerOf(call);
  const auto all = AllEvents(server);
  const std::int64_t threshold = server.config().Number(Setting::kLatencyMonitorThreshold);
  std::string text;
  if (threshold == 0) {
    text =
        "Latency monitoring is off. Use \"CONFIG SET latency-monitor-threshold <milliseconds>\" to "
        "turn it on.\n";
  } else if (all.empty()) {
    text = fmt::format("No event took longer than {} ms.\n", threshold);
  }
  for (const auto& [event, series] : all) {
    std::uint64_t sum = 0;
    for (const LatencySample& sample : series.samples) sum += sample.millis;
    text += fmt::format("{}: {} samples above {} ms, {} ms on average, {} ms at most.\n", event,
                        series.samples.size(), threshold, sum / series.samples.size(),
                        series.max_millis);
  }
  call.reply.Verbatim("txt", text);
  return {};
}

Answer LatencyHistogramCommand(Call& call) {
  Server& server = ServerOf(call);
  std::vector<const CommandEntry*> wanted;
  if (call.args.size() == 2) {
    for (const auto& entry : server.table().entries()) wanted.push_back(entry.get());
  }
  for (const Bytes name : call.args.subspan(2)) {
    const CommandEntry* const entry = server.table().FindFullName(name);
    if (entry == nullptr) continue;
    wanted.push_back(entry);
    wanted.insert(wanted.end(), entry->subcommands.begin(), entry->subcommands.end());
  }
  const auto commands = call.reply.BeginDeferred(Aggregate::kMap);
  std::size_t shown = 0;
  for (const CommandEntry* entry : wanted) {
    const CommandCounts counts = server.statistics().Of(entry->id);
    const std::uint64_t measured = CountOf(counts.latencies);
    if (measured == 0) continue;
    call.reply.Bulk(entry->full_name);
    call.reply.Map(2);
    call.reply.Bulk("calls");
    call.reply.Integer(static_cast<std::int64_t>(measured));
    call.reply.Bulk("histogram_usec");
    WriteBuckets(call.reply, counts.latencies);
    ++shown;
  }
  call.reply.EndDeferred(commands, shown);
  return {};
}

Answer LatencyHelp(Call& call) {
  static constexpr std::array kLines = std::to_array<std::string_view>({
      "DOCTOR",
      "    Return a human readable latency analysis report.",
      "GRAPH <event>",
      "    Return an ASCII latency graph for the <event> class.",
      "HISTORY <event>",
      "    Return time-latency samples for the <event> class.",
      "LATEST",
      "    Return the latest latency samples for all events.",
      "RESET [<event> ...]",
      "    Reset latency data of one or more <event> classes.",
      "    (default: reset all data for all event classes)",
      "HISTOGRAM [COMMAND ...]",
      "    Return a cumulative distribution of latencies in the format of a histogram",
      "    for the specified command names.",
  });
  WriteHelp(call.reply, "LATENCY", kLines);
  return {};
}

}  // namespace mayfly::server::admin
