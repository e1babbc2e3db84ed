// events_command.cc - what expired, in order, each once; --follow goes on.
#include <cstdio>
#include <memory>
#include <string>

#include "apps/mayfly/expiry/expiry_commands.h"
#include "apps/mayfly/terminal/interrupt.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kPage = 1000;
constexpr auto kBetweenReads = std::chrono::milliseconds(100);

struct EventFlags {
  TargetFlags target;
  OutputFlags output;
  std::uint64_t after = 0;
  std::uint64_t limit = 0;
  bool follow = false;
};

const char* NameOf(EventCause cause) {
  switch (cause) {
    case EventCause::kPurged: return "purged";
    case EventCause::kRead: return "read";
    case EventCause::kReplaced: return "replaced";
    case EventCause::kBornDead: return "born-dead";
    case EventCause::kEvicted: return "evicted";
  }
  return "unknown";
}

std::vector<Field> FieldsOf(const Event& event) {
  const auto text = [](const std::optional<std::string>& bytes) {
    return bytes ? Cell::Text(*bytes) : Cell::Nothing();
  };
  return {{"sequence", Cell::Count(event.sequence)},
          {"keyspace", Cell::Text(event.keyspace_name)},
          {"key", Cell::Text(event.key)},
          {"field", text(event.member)},
          {"deadline", Cell::Instant(event.deadline)},
          {"purged_at", Cell::Instant(event.purged_at)},
          {"cause", Cell::Text(NameOf(event.cause))},
          {"value", text(event.value)}};
}

Result<ExitCode> RunEvents(const EventFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  std::uint64_t after = flags.after;
  std::uint64_t left = flags.limit > 0 ? flags.limit : UINT64_MAX;
  Waker pause;
  while (left > 0 && !Interrupted() && std::ferror(stdout) == 0) {
    MAYFLY_TRY(
        const auto events,
        target->ReadEvents(after, static_cast<std::size_t>(std::min<std::uint64_t>(left, kPage))));
    for (const Event& event : events) {
      output.Row(FieldsOf(event));
      after = event.sequence;
      --left;
    }
    if (events.empty() && !flags.follow) break;
    if (flags.follow) {
      output.End();
      std::fflush(stdout);
      if (events.empty()) pause.WaitFor(kBetweenReads);
    }
  }
  output.End();
  return kExitDone;
}

}  // namespace

void AddEvents(Commands& commands) {
  const auto flags = std::make_shared<EventFlags>();
  CLI::App* const events = commands.Add(
      commands.app(), "events",
      "List rows that expired, in order, each once. A keyspace has events if its policy asks for\n"
      "them: `mayfly keyspace policy TARGET NAME events=key`.",
      {"mayfly events data --limit 20", "mayfly events --url redis://localhost --follow --json"},
      [=] { return RunEvents(*flags); });
  AddTarget(*events, flags->target);
  events->add_option("--after", flags->after, "Only events behind this sequence (default: all).")
      ->check(CheckNumber);
  events->add_option("--limit", flags->limit, "At most so many.")->check(CheckCount);
  events->add_flag("-f,--follow", flags->follow, "Go on with those to come, until Ctrl-C.");
  AddOutput(*events, flags->output);
}

}  // namespace mayfly::app
