// slowlog.h - the last commands that took long.
// Safe to call from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::server {

struct CommandSpec;

struct SlowCommand {
  std::uint64_t id = 0;
  WallTime at;
  std::uint64_t micros = 0;
  // Shortened: kSlowlogArgsMax of kSlowlogArgBytesMax bytes. When they are too old, the name alone.
  std::vector<std::string> args;
  std::string client_address;
  std::string client_name;
};

class Slowlog {
 public:
  void Add(SlowCommand command, std::size_t kept_max);

  // The newest first, at most `count`.
  std::vector<SlowCommand> Newest(std::size_t count) const;

  std::size_t size() const;
  void Clear();

  // Arguments of commands that ran before this are replaced by their number: they may be keys and
  // values of rows that are over.
  void ForgetArguments(WallTime before);

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::uint64_t next_id_ = 0;
  std::deque<SlowCommand> commands_;  // The newest first.
};

// Arguments as the log keeps them: without secrets.
std::vector<std::string> ShortenedArgs(const CommandSpec& spec, std::span<const Bytes> args);

}  // namespace mayfly::server
