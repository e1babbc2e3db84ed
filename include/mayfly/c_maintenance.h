/* c_maintenance.h - the part of c.h that maintains a database: purging and giving space back,
 * expiry events, the clock, checks, backups, statistics. c.h says how calls fail, how long things
 * live and how structs grow. */
#ifndef MAYFLY_C_MAINTENANCE_H
#define MAYFLY_C_MAINTENANCE_H

#include "mayfly/c_database.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Giving space back ---- */

/* A purge ends at the first bound that is reached. */
typedef struct mayfly_purge_options {
  size_t size;
  uint64_t rows_max;         /* 0: no bound. */
  int64_t time_max_ms;       /* 0: no bound. */
  mayfly_keyspace* keyspace; /* Only this one's rows. Null: all. */
} mayfly_purge_options;

typedef struct mayfly_purge_report {
  size_t size;
  uint64_t rows;
  uint64_t stale_entries;
  bool more_due;
  bool stopped_by_clock;
} mayfly_purge_report;

/* Removes dead rows; O(dead). `report` may be null. */
int mayfly_purge(mayfly_database* database, const mayfly_purge_options* options,
                 mayfly_purge_report* report) MAYFLY_NOEXCEPT;

typedef struct mayfly_reaper_options {
  size_t size;
  uint64_t step_rows_max;        /* 0: 1024. */
  uint32_t work_percent;         /* 0: 20. */
  bool no_reclaim;               /* Leaves the files to the engine; promises are not kept then. */
  uint32_t reclaim_dead_percent; /* 0: 25. */
  uint64_t reclaim_bytes_per_second; /* 0: 64 MiB. */
} mayfly_reaper_options;

/* Starts a thread that purges as rows die, gives their space back and keeps promises. */
int mayfly_start_reaper(mayfly_database* database, const mayfly_reaper_options* options,
                        mayfly_reaper** reaper) MAYFLY_NOEXCEPT;

/* Returns once the reaper has checked the clock after this call and found nothing more to do.
 * MAYFLY_INVALID in an event function that the reaper's own thread calls. */
int mayfly_await_idle(mayfly_reaper* reaper) MAYFLY_NOEXCEPT;

/* Stops the thread, waits for it and releases the handle. MAYFLY_INVALID in an event function that
 * the reaper's own thread calls, which would wait for itself: nothing is stopped or released then. */
int mayfly_stop_reaper(mayfly_reaper* reaper) MAYFLY_NOEXCEPT;

typedef struct mayfly_reclaim_options {
  size_t size;
  uint32_t dead_percent;     /* 0: 25. */
  uint64_t bytes_per_second; /* 0: no bound. */
  bool everything;           /* Purges and rewrites at once, for all keyspaces. */
} mayfly_reclaim_options;

typedef struct mayfly_reclaim_report {
  size_t size;
  uint64_t files_dropped;
  uint64_t files_rewritten;
  uint64_t bytes_rewritten;
  bool held_up; /* Dead bytes stay because a state that shows them is open; see mayfly_prove(). */
  bool stopped_by_clock;
} mayfly_reclaim_report;

/* Gives the space of purged and deleted rows back to the disk. `report` may be null. */
int mayfly_reclaim(mayfly_database* database, const mayfly_reclaim_options* options,
                   mayfly_reclaim_report* report) MAYFLY_NOEXCEPT;

/* Reports whether all promises are kept, and searches everything the database keeps for the bytes
 * `find` (null: no search). `words`, which may be null with its count, lists what holds old bytes
 * and where `find` was found, in one block. */
int mayfly_prove(mayfly_database* database, const void* find, size_t find_size, bool* kept,
                 size_t* traces, char*** words, size_t* words_count) MAYFLY_NOEXCEPT;

/* ---- Events ---- */

enum {
  MAYFLY_CAUSE_PURGED = 0,
  MAYFLY_CAUSE_READ = 1,
  MAYFLY_CAUSE_REPLACED = 2,
  MAYFLY_CAUSE_BORN_DEAD = 3,
  MAYFLY_CAUSE_EVICTED = 4
};

/* See events.h. The death of a collection's member is the same here as that of the collection's
 * row; the calls that end in _with_members distinguish them. */
typedef struct mayfly_event {
  uint64_t sequence;
  const char* keyspace_name; /* "" when it was dropped since. */
  const void* key;
  size_t key_size;
  const void* value; /* Null unless the policy asks for it. */
  size_t value_size;
  int64_t deadline_ms;
  int64_t purged_at_ms;
  uint32_t keyspace;
  int cause; /* MAYFLY_CAUSE_... */
} mayfly_event;

/* The next events after sequence `after`, in one block: free `*events` only. */
int mayfly_read_events(mayfly_database* database, uint64_t after, size_t events_max,
                       mayfly_event** events, size_t* count) MAYFLY_NOEXCEPT;

/* An event with the member that died; mayfly_event cannot grow. */
typedef struct mayfly_event_with_member {
  mayfly_event event;
  const void* member; /* The member that died while its collection lives on. Null: the row died. */
  size_t member_size;
} mayfly_event_with_member;

/* The next events after sequence `after` with their members, in one block: free `*events` only. */
int mayfly_read_events_with_members(mayfly_database* database, uint64_t after, size_t events_max,
                                    mayfly_event_with_member** events,
                                    size_t* count) MAYFLY_NOEXCEPT;

/* The sequence of the newest event ever written, also if it has been trimmed; 0: none yet. */
int mayfly_last_event_sequence(mayfly_database* database, uint64_t* sequence) MAYFLY_NOEXCEPT;

/* The events that a trim removes: those that match any of the conditions that are switched on. */
typedef struct mayfly_event_trim {
  size_t size;
  bool by_sequence;
  uint64_t through_sequence; /* Up to and with this one. */
  bool by_age;
  int64_t older_than_ms;
  bool by_number;
  uint64_t keep_newest;
  uint64_t events_max; /* At most this many of those, the oldest. 0: all. See EventTrim. */
} mayfly_event_trim;

/* Removes events. `removed`, which may be null, is their number. */
int mayfly_trim_events(mayfly_database* database, const mayfly_event_trim* trim,
                       uint64_t* removed) MAYFLY_NOEXCEPT;

/* Called after the commit, on the thread that purged; it may call into the database. The event
 * lives for the call. */
typedef void (*mayfly_event_function)(void* context, const mayfly_event* event);

/* Calls `function` for every event from now on, until mayfly_unsubscribe(). */
int mayfly_subscribe(mayfly_database* database, mayfly_event_function function, void* context,
                     mayfly_subscription** subscription) MAYFLY_NOEXCEPT;

/* As mayfly_event_function, for mayfly_subscribe_with_members(). */
typedef void (*mayfly_event_with_member_function)(void* context,
                                                  const mayfly_event_with_member* event);

int mayfly_subscribe_with_members(mayfly_database* database,
                                  mayfly_event_with_member_function function, void* context,
                                  mayfly_subscription** subscription) MAYFLY_NOEXCEPT;

/* Ends the calls and releases the handle; waits for a call that runs on another thread. */
void mayfly_unsubscribe(mayfly_subscription* subscription) MAYFLY_NOEXCEPT;

/* ---- The clock ---- */

typedef struct mayfly_clock_report {
  size_t size;
  int64_t now_ms;
  int64_t machine_ms; /* What the machine's clock reads. */
  uint64_t steps_back;
  uint64_t jumps_forward;
  bool physical_deletion_stopped; /* Until mayfly_confirm_clock() or mayfly_revert_clock(). */
  int64_t last_jump_ms;
  int64_t without_jump_ms; /* While deletion is stopped: the time without the jump; else now_ms. */
} mayfly_clock_report;

int mayfly_get_clock_report(mayfly_database* database, mayfly_clock_report* report) MAYFLY_NOEXCEPT;

/* Confirms that the machine's clock is right after a jump: physical deletion goes on.
 * MAYFLY_INVALID while it reads less than the database's time. */
int mayfly_confirm_clock(mayfly_database* database) MAYFLY_NOEXCEPT;

/* Call it when the machine's clock was wrong and has been set right: the database's time goes back
 * to it, and rows that a jump had hidden are visible again. MAYFLY_INVALID while the clock does not
 * read less than the database's time. See Database::RevertClock() in database.h. */
int mayfly_revert_clock(mayfly_database* database) MAYFLY_NOEXCEPT;

/* ---- Checking, saving, counting ---- */

typedef struct mayfly_check_options {
  size_t size;
  bool repair;
} mayfly_check_options;

typedef struct mayfly_check_report {
  size_t size;
  uint64_t rows;
  uint64_t entries;
  uint64_t missing_entries;
  uint64_t stale_entries;
  uint64_t wrong_counts;
  uint64_t unreadable_rows;
  uint64_t repaired;
  bool clean;
  uint64_t versions; /* Of keyspaces ordered by timestamp, beside their rows. */
  uint64_t stray_versions;
  uint64_t members; /* Of collections. */
  uint64_t stray_members;
} mayfly_check_report;

/* Compares rows, index and counters. MAYFLY_OK also when something is wrong: the report says so.
 * `findings`, which may be null with its count, is a list of the first hundred in words, in one
 * block. */
int mayfly_check(mayfly_database* database, const mayfly_check_options* options,
                 mayfly_check_report* report, char*** findings,
                 size_t* findings_count) MAYFLY_NOEXCEPT;

typedef struct mayfly_backup_report {
  size_t size;
  uint64_t keyspaces;
  uint64_t rows;
  uint64_t bytes;
  int64_t taken_at_ms;
  uint64_t lost_rows;    /* Of a salvage: rows left out. */
  uint64_t lost_members; /* Of a salvage: members missing from collections that are in the file. */
} mayfly_backup_report;

/* Writes one file with all rows. MAYFLY_INVALID when the file exists. `report` may be null. */
int mayfly_backup(mayfly_database* database, const char* file,
                  mayfly_backup_report* report) MAYFLY_NOEXCEPT;

enum {
  MAYFLY_RESTORE_HONOUR = 0, /* Rows that died meanwhile are not restored. */
  MAYFLY_RESTORE_FREEZE = 1, /* Each row has the time left that it had at the backup. */
  MAYFLY_RESTORE_SHIFT = 2,  /* Deadlines move by shift_ms. */
  MAYFLY_RESTORE_STRIP = 3   /* No row has a deadline any more. */
};

typedef struct mayfly_restore_options {
  size_t size;
  int mode;
  int64_t shift_ms;
  /* The password of the source; see RestoreOptions in maintenance.h. Null or of size 0: none. */
  const void* password;
  size_t password_size;
} mayfly_restore_options;

typedef struct mayfly_restore_report {
  size_t size;
  uint64_t keyspaces;
  uint64_t rows;
  uint64_t dropped_rows;
  uint64_t lost_collections; /* Left out: the backup, a salvage, has none of their members. */
} mayfly_restore_report;

/* Fills this database, which must be empty, from a backup. `report` may be null. */
int mayfly_restore(mayfly_database* database, const char* file,
                   const mayfly_restore_options* options,
                   mayfly_restore_report* report) MAYFLY_NOEXCEPT;

typedef struct mayfly_keyspace_statistics {
  const char* name;
  uint64_t rows;             /* Stored, dead ones included. */
  uint64_t mortal_rows;      /* Of these, with a deadline. */
  uint64_t due_rows;         /* Dead and not yet purged. */
  int64_t lag_ms;            /* How long the oldest of those has been dead. */
  int64_t purge_within_ms;   /* 0: no promise. */
  int64_t purged_through_ms; /* No row dead or deleted by then has a byte left. */
} mayfly_keyspace_statistics;

typedef struct mayfly_statistics {
  size_t size;
  uint64_t purged_rows;
  uint64_t purged_by_reads;
  uint64_t stale_entries;
  uint64_t clamped_lifetimes;
  uint64_t conflicts;
  uint64_t events_first;
  uint64_t events_last;
  uint64_t disk_bytes;
  uint64_t memory_bytes;
  uint64_t open_snapshots;
  uint64_t purged_members;      /* Dead members of collections. */
  uint64_t removed_collections; /* Dead or deleted ones whose members are all removed. */
  uint64_t revoked_states;      /* Snapshots, transactions and cursors revoked for their age. */
  uint64_t files_dropped;       /* By reclaiming, as the next two. */
  uint64_t files_rewritten;
  uint64_t bytes_rewritten;
  uint64_t damage_seen; /* How often a read failed because a file is damaged. */
  bool disk_full;       /* Writes that add bytes are refused. */
  /* The number of the last commit that is shown; 0 in memory. Of a reader beside a writer: the
   * writer's own number, read before, less this one is the reader's lag. */
  uint64_t last_commit;
} mayfly_statistics;

/* Fills `*statistics`, whose size must be set. `keyspaces`, which may be null with its count, is
 * one block. */
int mayfly_get_statistics(mayfly_database* database, mayfly_statistics* statistics,
                          mayfly_keyspace_statistics** keyspaces,
                          size_t* keyspaces_count) MAYFLY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* MAYFLY_C_MAINTENANCE_H */
