// client_tracking_commands.cc - CLIENT TRACKING, CACHING, GETREDIR and TRACKINGINFO: which keys a
// client caches, and which client is notified when they change.
#include <fmt/format.h>

#include <algorithm>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server::admin {
namespace {

using Caching = ClientTracking::Caching;

Answer ParseTracking(Server& server, std::span<const Bytes> options, TrackingMode& mode) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool more = i + 1 < options.size();
    if (IsWord(options[i], "redirect") && more) {
      if (mode.redirect != 0) {
        return Status::Invalid("A client can only redirect to a single other client");
      }
      MAYFLY_TRY(const std::int64_t id, IntegerArgument(options[++i]));
      mode.redirect = static_cast<std::uint64_t>(id);
      if (id <= 0 || server.clients().Find(mode.redirect) == nullptr) {
        return Status::Invalid("The client ID you want redirect to does not exist");
      }
    } else if (IsWord(options[i], "bcast")) {
      mode.broadcast = true;
    } else if (IsWord(options[i], "optin")) {
      mode.opt_in = true;
    } else if (IsWord(options[i], "optout")) {
      mode.opt_out = true;
    } else if (IsWord(options[i], "noloop")) {
      mode.no_loop = true;
    } else if (IsWord(options[i], "prefix") && more) {
      mode.prefixes.emplace_back(options[++i]);
    } else {
      return SyntaxError();
    }
  }
  return {};
}

bool Overlap(Bytes one, Bytes other) { return one.starts_with(other) || other.starts_with(one); }

// `known`: how the client tracks already; null: it does not.
Status CheckMode(const TrackingMode* known, const TrackingMode& mode) {
  if (!mode.prefixes.empty() && !mode.broadcast) {
    return Status::Invalid("PREFIX option requires BCAST mode to be enabled");
  }
  if (known != nullptr && known->broadcast != mode.broadcast) {
    return Status::Invalid(
        "You can't switch BCAST mode on/off before disabling tracking for this client, and then "
        "re-enabling it with a different mode.");
  }
  if (mode.broadcast && (mode.opt_in || mode.opt_out)) {
    return Status::Invalid("OPTIN and OPTOUT are not compatible with BCAST");
  }
  if (mode.opt_in && mode.opt_out) {
    return Status::Invalid("You can't specify both OPTIN mode and OPTOUT mode");
  }
  if (known != nullptr && ((mode.opt_in && known->opt_out) || (mode.opt_out && known->opt_in))) {
    return Status::Invalid(
        "You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then "
        "re-enabling it with a different mode.");
  }
  for (std::size_t i = 0; i < mode.prefixes.size(); ++i) {
    const std::string& prefix = mode.prefixes[i];
    for (const std::string& other :
         known != nullptr ? known->prefixes : std::vector<std::string>()) {
      if (prefix == other || !Overlap(prefix, other)) continue;
      return Status::Invalid(
          fmt::format("Prefix '{}' overlaps with an existing prefix '{}'. Prefixes for a single "
                      "client must not overlap.",
                      prefix, other));
    }
    for (std::size_t j = i + 1; j < mode.prefixes.size(); ++j) {
      if (!Overlap(prefix, mode.prefixes[j])) continue;
      return Status::Invalid(
          fmt::format("Prefix '{}' overlaps with another provided prefix '{}'. Prefixes for a "
                      "single client must not overlap.",
                      prefix, mode.prefixes[j]));
    }
  }
  return {};
}

// Prefixes are added to those that the client has; without any it gets all keys.
void AddPrefixes(const TrackingMode* known, TrackingMode& mode) {
  if (!mode.broadcast) return;
  for (const std::string& prefix :
       known != nullptr ? known->prefixes : std::vector<std::string>()) {
    if (std::find(mode.prefixes.begin(), mode.prefixes.end(), prefix) == mode.prefixes.end()) {
      mode.prefixes.push_back(prefix);
    }
  }
  if (mode.prefixes.empty()) mode.prefixes.emplace_back();
}

std::vector<std::string_view> FlagsOf(const ClientTracking* tracking) {
  if (tracking == nullptr) return {"off"};
  std::vector<std::string_view> flags{"on"};
  if (tracking->mode.broadcast) flags.push_back("bcast");
  if (tracking->mode.opt_in) flags.push_back("optin");
  if (tracking->caching == Caching::kYes) flags.push_back("caching-yes");
  if (tracking->mode.opt_out) flags.push_back("optout");
  if (tracking->caching == Caching::kNo) flags.push_back("caching-no");
  if (tracking->mode.no_loop) flags.push_back("noloop");
  if (tracking->redirect_broken) flags.push_back("broken_redirect");
  return flags;
}

std::int64_t RedirectOf(const ClientTracking* tracking) {
  return tracking == nullptr ? -1 : static_cast<std::int64_t>(tracking->mode.redirect);
}

}  // namespace

Answer ClientTrackingCommand(Call& call) {
  Session& session = SessionOf(call);
  Server& server = ServerOf(call);
  const bool on = IsWord(call.args[2], "on");
  if (!on && !IsWord(call.args[2], "off")) return SyntaxError();
  TrackingMode mode;
  if (Answer parsed = ParseTracking(server, call.args.subspan(3), mode); !parsed.ok())
    return parsed;
  if (!on) {
    session.StopTracking();
    call.reply.Ok();
    return {};
  }
  const ClientTracking* const tracking = session.state().tracking.get();
  const TrackingMode* const known = tracking != nullptr ? &tracking->mode : nullptr;
  MAYFLY_RETURN_IF_ERROR(CheckMode(known, mode));
  if (mode.broadcast && call.frozen_now) {
    return Status::Invalid("CLIENT TRACKING with BCAST is not possible within a transaction");
  }
  AddPrefixes(known, mode);
  // Mended or not, the client that gets the messages is there now.
  auto fresh = std::make_unique<ClientTracking>();
  if (tracking != nullptr) fresh->caching = tracking->caching;
  fresh->mode = mode;
  server.tracking().Enable(session.origin().id, mode);
  session.state().tracking = std::move(fresh);
  if (mode.broadcast) {
    if (const Status told = server.NotifyOfDeaths(); !told.ok()) {
      session.StopTracking();
      return told;
    }
  }
  call.reply.Ok();
  return {};
}

Answer ClientCaching(Call& call) {
  ClientTracking* const tracking = SessionOf(call).state().tracking.get();
  if (tracking == nullptr || (!tracking->mode.opt_in && !tracking->mode.opt_out)) {
    return Status::Invalid(
        "CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or "
        "OPTOUT mode enabled");
  }
  if (IsWord(call.args[2], "yes")) {
    if (!tracking->mode.opt_in) {
      return Status::Invalid(
          "CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.");
    }
    tracking->caching = Caching::kYes;
  } else if (IsWord(call.args[2], "no")) {
    if (!tracking->mode.opt_out) {
      return Status::Invalid(
          "CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.");
    }
    tracking->caching = Caching::kNo;
  } else {
    return SyntaxError();
  }
  call.reply.Ok();
  return {};
}

Answer ClientGetRedir(Call& call) {
  call.reply.Integer(RedirectOf(SessionOf(call).state().tracking.get()));
  return {};
}

Answer ClientTrackingInfo(Call& call) {
  const ClientTracking* const tracking = SessionOf(call).state().tracking.get();
  const std::vector<std::string_view> flags = FlagsOf(tracking);
  call.reply.Map(3);
  call.reply.Bulk("flags");
  call.reply.Set(flags.size());
  for (const std::string_view flag : flags) call.reply.Bulk(flag);
  call.reply.Bulk("redirect");
  call.reply.Integer(RedirectOf(tracking));
  call.reply.Bulk("prefixes");
  const std::size_t prefixes = tracking != nullptr ? tracking->mode.prefixes.size() : 0;
  call.reply.Array(prefixes);
  for (std::size_t i = 0; i < prefixes; ++i) call.reply.Bulk(tracking->mode.prefixes[i]);
  return {};
}

}  // namespace mayfly::server::admin
