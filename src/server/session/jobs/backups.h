// backups.h - backups of the served database, taken and restored as jobs while clients go on.
// They lie in the folder `backups` within the database's own, each named by the client or after its
// instant; BGSAVE keeps as many of its own as the setting `backups-keep` says. A restored one is a
// new folder beside them, which another server can serve. No name leads out of that folder.
// Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/upkeep/watched_upkeep.h"
#include "mayfly/database.h"
#include "mayfly/maintenance.h"
#include "server/config/config.h"
#include "server/session/jobs/jobs.h"

namespace mayfly::server {

// Makes a database in a folder that does not exist, and fills it from the file of a backup. The
// server knows no engine; the program provides it.
using RestoreInto =
    std::function<Result<RestoreReport>(const std::string& file, const std::string& folder,
                                        RestoreMode mode, const core::Progress& progress)>;

struct BackupFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::int64_t written_ms = 0;
};

class Backups {
 public:
  // `restore` may be null: then nothing can be restored.
  Backups(Database& database, const Config& config, const Clock& clock, Jobs& jobs,
          RestoreInto restore)
      : database_(database),
        config_(config),
        clock_(clock),
        jobs_(jobs),
        restore_(std::move(restore)) {}

  // Returns the number of the job. `name`: a file's name without a folder; empty: after the
  // instant. Unsupported for a database in memory, Busy while one is under way.
  Result<std::uint64_t> Start(const std::string& name);

  // Returns the number of the job that restores backup `name` into the new folder `folder`.
  // NotFound when there is no such backup, Invalid when there is something of the folder's name.
  Result<std::uint64_t> StartRestore(const std::string& name, const std::string& folder,
                                     RestoreMode mode);

  // The backups that are there, the latest first; at most kBackupsListedMax.
  Result<std::vector<BackupFile>> List() const;

  // For INFO and LASTSAVE.
  bool is_running() const;
  bool last_ok() const { return last_ok_.load(); }
  std::int64_t last_ms() const { return last_ms_.load(); }  // When the last was complete; 0: never.
  std::int64_t last_took_seconds() const { return last_took_seconds_.load(); }  // -1: none yet.
  std::uint64_t completed() const { return completed_.load(); }

 private:
  Result<std::string> Folder() const;
  Result<std::string> MakeFolder() const;
  Result<JobResult> Restore(const std::string& file, const std::string& folder, RestoreMode mode,
                            JobControl& control);
  Result<JobResult> Run(const std::string& file, bool own_name, JobControl& control);
  void RemoveOld(const std::string& folder) const;

  Database& database_;
  const Config& config_;
  const Clock& clock_;
  Jobs& jobs_;
  const RestoreInto restore_;
  std::mutex starting_;  // Serialises Start().
  std::atomic<bool> last_ok_{true};
  std::atomic<std::int64_t> last_ms_{0};
  std::atomic<std::int64_t> last_took_seconds_{-1};
  std::atomic<std::uint64_t> completed_{0};
};

}  // namespace mayfly::server
