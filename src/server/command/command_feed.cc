#include "server/command/command_feed.h"

#include <utility>

namespace mayfly::server {

void AppendCommand(std::string& out, std::span<const Bytes> args) {
  out += '*';
  out += std::to_string(args.size());
  out += "\r\n";
  for (const Bytes arg : args) {
    out += '$';
    out += std::to_string(arg.size());
    out += "\r\n";
    out += arg;
    out += "\r\n";
  }
}

void CommandFeed::BeginCommand(int database) {
  begin_ = entries_.size();
  database_ = database;
  replaced_ = false;
}

void CommandFeed::Instead(std::span<const Bytes> args, Known known) {
  replaced_ = true;
  Entry entry{.database = database_, .unit = unit_, .known = known, .death = false, .bytes = {}};
  AppendCommand(entry.bytes, args);
  entries_.push_back(std::move(entry));
}

void CommandFeed::EndCommand(std::span<const Bytes> args, bool changed) {
  if (!changed) return entries_.resize(begin_);
  if (!replaced_) Instead(args);
}

void CommandFeed::Died(int database, std::initializer_list<Bytes> args) {
  Entry entry{
      .database = database, .unit = unit_, .known = Known::kSince70, .death = true, .bytes = {}};
  AppendCommand(entry.bytes, std::span(args.begin(), args.size()));
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(begin_), std::move(entry));
  ++begin_;
}

}  // namespace mayfly::server
