// backups.h - backups of the served database, taken as jobs while clients go on.
// They lie in the folder `backups` within the database's own, each named by the client or after its
// instant; BGSAVE keeps as many of its own as the setting `backups-keep` says. `mayfly restore`
// restores them. Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "mayfly/database.h"
#include "server/config/config.h"
#include "server/session/jobs.h"

namespace mayfly::server {

class Backups {
 public:
  Backups(Database& database, const Config& config, const Clock& clock, Jobs& jobs)
      : database_(database), config_(config), clock_(clock), jobs_(jobs) {}

  // Returns the number of the job. `name`: a file's name without a folder; empty: after the
  // instant. Unsupported for a database in memory, Busy while one is under way.
  Result<std::uint64_t> Start(const std::string& name);

  // For INFO and LASTSAVE.
  bool is_running() const;
  bool last_ok() const { return last_ok_.load(); }
  std::int64_t last_ms() const { return last_ms_.load(); }  // When the last was complete; 0: never.
  std::int64_t last_took_seconds() const { return last_took_seconds_.load(); }  // -1: none yet.
  std::uint64_t completed() const { return completed_.load(); }

 private:
  Result<std::string> MakeFolder() const;
  Result<JobResult> Run(const std::string& file, bool own_name, JobControl& control);
  void RemoveOld(const std::string& folder) const;

  Database& database_;
  const Config& config_;
  const Clock& clock_;
  Jobs& jobs_;
  std::mutex starting_;  // Serialises Start().
  std::atomic<bool> last_ok_{true};
  std::atomic<std::int64_t> last_ms_{0};
  std::atomic<std::int64_t> last_took_seconds_{-1};
  std::atomic<std::uint64_t> completed_{0};
};

}  // namespace mayfly::server
