// slowlog.h - the latest slow commands.
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
  // Shortened: kSlowlogArgsMax of kSlowlogArgBytesMax bytes. After ForgetArguments(), the name
  // alone.
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

  // Replaces the arguments of commands that ran before this by their number: they may be keys and
  // values of dead rows.
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
