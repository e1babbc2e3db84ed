// peer_process.h - a peer in a process of its own, which works in turns.
// What a store does in the background is then counted for it and not for its neighbour: a turn costs
// the CPU time of the process since the turn before, threads and idle time between turns included.
// Make all of them before the program has threads: they are forks.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dataset.h"
#include "peer.h"

namespace mayfly::bench {

enum class PeerWork : std::uint8_t {
  kPut,         // data.key(i), and other values the second time.
  kPutUntil,    // data.missing_key(i), dying at i + 1.
  kDelete,      // data.key(i)
  kGet,         // data.key(i * 11)
  kGetSkewed,   // Few of the keys often, by a zipfian distribution of 0.99.
  kGetMissing,  // Not to be used after kPutUntil.
  kScan,        // From data.key(first) on.
  kPurge,       // That many.
  kMixed,       // Four gets of data.key(i * 11), one put.
  kGetsOfTwo,   // kGet, shared by two threads.
  kPutsOfTwo,   // kPut, the same.
  kNothing,     // Asks for what happened in the background.
  kEnd,         // Closes the store and ends the process.
};

// What a process has in memory: a number of one, or "self".
std::uint64_t ResidentBytesOf(const std::string& process);

struct PeerTurn {
  double cpu_ns = 0;      // Of the process, since the turn before ended.
  double wall_ns = 0;     // Of the turn.
  std::uint64_t rss = 0;  // At its end.
};

class PeerProcess {
 public:
  // `open` is called in the new process.
  PeerProcess(std::string name, const Dataset& data,
              const std::function<std::unique_ptr<Peer>()>& open);
  ~PeerProcess();  // Ends the process.
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  // Does the work numbered `first` to first + count - 1. Ends the program when the process fails.
  PeerTurn Do(PeerWork work, std::size_t first, std::size_t count);

  const std::string& name() const { return name_; }

 private:
  const std::string name_;
  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace mayfly::bench
