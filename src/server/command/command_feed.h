// command_feed.h - what a transaction's commands send to followers (docs/decisions/0062).
// A command travels as the client wrote it, if it changed something. Where that would mean something
// else on another server, or later, its handler says what to send instead: instants for lengths of
// time, the members that were drawn, the id that was given out. Commands of one unit, a MULTI or a
// script, are applied together by a follower.
// One thread; used again for the next transaction after Clear().
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Appends the command in Redis' protocol.
void AppendCommand(std::string& out, std::span<const Bytes> args);

class CommandFeed {
 public:
  // Which followers know a command. Redis refuses a whole MULTI for one that it does not know.
  enum class Known : std::uint8_t { kSince70, kSince74 };

  struct Entry {
    int database = 0;
    std::uint64_t unit = 0;
    Known known = Known::kSince70;
    bool death = false;
    std::string bytes;
  };

  // For handlers. In place of the command that runs; may be called several times. Nothing of it is
  // sent if the command fails or changes nothing.
  void Instead(std::span<const Bytes> args, Known known = Known::kSince70);
  void Instead(std::initializer_list<Bytes> args, Known known = Known::kSince70) {
    Instead(std::span(args.begin(), args.size()), known);
  }
  void Nothing() { replaced_ = true; }

  // For run_handler.h and the owner of the transaction. What died is sent before the command that
  // met it.
  void BeginCommand(int database);
  void EndCommand(std::span<const Bytes> args, bool changed);
  void Died(int database, std::initializer_list<Bytes> args);

  using Mark = std::size_t;
  Mark SetMark() const { return entries_.size(); }
  void RollBack(Mark mark) { entries_.resize(mark); }

  // What follows belongs to another unit.
  void NextUnit() { ++unit_; }

  void Clear() { entries_.clear(); }
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::size_t begin_ = 0;  // Of the command that runs.
  int database_ = 0;
  std::uint64_t unit_ = 0;
  bool replaced_ = false;
};

}  // namespace mayfly::server
