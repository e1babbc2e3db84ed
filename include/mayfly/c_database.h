/* c_database.h - the part of c.h that everything else needs: codes and messages, memory, handles,
 * opening a database and its keyspaces. c.h, which includes this file, says how calls fail, how
 * long things live and how structs grow. */
#ifndef MAYFLY_C_DATABASE_H
#define MAYFLY_C_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MAYFLY_NOEXCEPT noexcept
extern "C" {
#else
#define MAYFLY_NOEXCEPT
#endif

/* ---- Codes, messages, memory ---- */

/* The numbers of StatusCode in status.h; append, never renumber. */
enum {
  MAYFLY_OK = 0,
  MAYFLY_NOT_FOUND = 1,      /* No living row, or nothing of that name. */
  MAYFLY_INVALID = 2,        /* The call is wrong as made; repeating it cannot help. */
  MAYFLY_WRONG_TYPE = 3,     /* The row holds another type than the operation needs. */
  MAYFLY_CONFLICT = 4,       /* Another writer was faster: read again, retry now. */
  MAYFLY_BUSY = 5,           /* Held by another caller or process: retry later. */
  MAYFLY_CROSS_SLOT = 6,     /* The engine is atomic within one slot and this would span several. */
  MAYFLY_READ_ONLY = 7,      /* Opened for reading. */
  MAYFLY_CORRUPTION = 8,     /* Stored bytes are damaged. Stop and restore. */
  MAYFLY_IO_ERROR = 9,       /* The machine refused: disk full, permission, memory. */
  MAYFLY_UNSUPPORTED = 10,   /* Not offered by this build, engine or format. */
  MAYFLY_INTERNAL = 11,      /* A fault of mayfly's own. Please report it. */
  MAYFLY_WRONG_PASSWORD = 12 /* The database is encrypted; the password is missing or wrong. */
};

/* The code's name, for example "NotFound"; "unknown" for other numbers. Lives for ever. */
const char* mayfly_code_name(int code) MAYFLY_NOEXCEPT;

/* The message of the last call that failed on this thread; "" before the first. Lives until the
 * next call on this thread fails. */
const char* mayfly_error_message(void) MAYFLY_NOEXCEPT;

/* The version of the library, for example "0.1.0". Lives for ever. */
const char* mayfly_version(void) MAYFLY_NOEXCEPT;

/* Releases a buffer or list that a call returned. */
void mayfly_free(void* memory) MAYFLY_NOEXCEPT;

/* ---- Databases ---- */

typedef struct mayfly_database mayfly_database;         /* mayfly_close() */
typedef struct mayfly_keyspace mayfly_keyspace;         /* mayfly_release_keyspace() */
typedef struct mayfly_transaction mayfly_transaction;   /* mayfly_release_transaction() */
typedef struct mayfly_snapshot mayfly_snapshot;         /* mayfly_release_snapshot() */
typedef struct mayfly_cursor mayfly_cursor;             /* mayfly_close_cursor() */
typedef struct mayfly_reaper mayfly_reaper;             /* mayfly_stop_reaper() */
typedef struct mayfly_subscription mayfly_subscription; /* mayfly_unsubscribe() */

/* A keyspace seen directly, in a transaction, or in a snapshot. Rows are read and written through
 * it; writing through a snapshot's view is MAYFLY_INVALID. Belongs to the keyspace, transaction or
 * snapshot it was taken from and lives as long. */
typedef struct mayfly_view mayfly_view;

/* See durability.h. */
enum {
  MAYFLY_DURABILITY_DEFAULT = 0, /* In options: process. In calls: the database's. */
  MAYFLY_DURABILITY_NONE = 1,
  MAYFLY_DURABILITY_PROCESS = 2,
  MAYFLY_DURABILITY_DISK = 3
};

enum { MAYFLY_MEMORY_DEFAULT = 0, MAYFLY_MEMORY_TINY = 1, MAYFLY_MEMORY_SERVER = 2 };

/* What stores the rows of a database with a directory; see StorageEngine in database.h. As found: as
 * the database was made; a new one is memory-first. */
enum { MAYFLY_ENGINE_AS_FOUND = 0, MAYFLY_ENGINE_ROCKS = 1, MAYFLY_ENGINE_MEMORY_FIRST = 2 };

enum { MAYFLY_LOG_DEBUG = 0, MAYFLY_LOG_INFO = 1, MAYFLY_LOG_WARNING = 2, MAYFLY_LOG_ERROR = 3 };

/* Where time comes from, instead of the machine's clock. Both functions are called from any thread.
 */
typedef struct mayfly_clock {
  size_t size;
  int64_t (*now_ms)(void* context); /* Wall time. Must be set. */
  /* Steady time, which passes whatever now_ms is set to and never goes back. Null: time passes by
   * now_ms alone, so that every leap of it beyond clock_jump_max_ms is a jump; pauses are measured
   * by the machine's clock. */
  int64_t (*steady_ns)(void* context);
  void* context;
} mayfly_clock;

/* Called from any thread, background threads too. Must not call into mayfly. `line` ends with a
 * zero byte and lives for the call. */
typedef void (*mayfly_log_function)(void* context, int level, const char* line);

typedef struct mayfly_database_options {
  size_t size;
  /* Created if missing. Null or "": in memory, gone when the database closes. */
  const char* directory;
  bool read_only;         /* Reads beside a writer, or without one; changes no file. */
  bool must_exist;        /* A missing database is MAYFLY_NOT_FOUND instead of created. */
  bool no_purge_on_read;  /* Reads hide dead rows and leave them to purges. */
  bool allow_any_instant; /* Accepts deadlines that are probably in seconds or microseconds. */
  int memory;             /* MAYFLY_MEMORY_... */
  int durability;         /* MAYFLY_DURABILITY_... of writes and commits that do not state one. */
  /* 0: 12 hours. INT64_MAX: no jump is ever too large. */
  int64_t clock_jump_max_ms;
  /* Null: the machine's. Copied; its context must outlive all handles. A reaper polls such a clock
   * every 10 ms, since it cannot learn when the clock moves. */
  const mayfly_clock* clock;
  mayfly_log_function log; /* Null: silence. */
  void* log_context;
  int log_level; /* MAYFLY_LOG_...; lines below it are not logged. */
  /* Snapshots, transactions and cursors older than this are revoked: their calls return
   * MAYFLY_CONFLICT. 0: no limit. */
  int64_t state_age_max_ms;
  /* Encrypts all files of a new database, and opens an encrypted one; see database.h. Used during
   * the call only. Null or of size 0: not encrypted. */
  const void* password;
  size_t password_size;
  /* Space set aside for a full disk, so that deletes and purges still work there; see database.h.
   * 0: none. */
  uint64_t disk_reserve_bytes;
  int engine; /* MAYFLY_ENGINE_... */
  /* Bytes of rows that a memory-first database keeps in memory. 0: by `memory`. */
  uint64_t memory_rows_bytes_max;
} mayfly_database_options;

/* Opens or creates a database. MAYFLY_BUSY when it is open for writing already, here or in another
 * process; MAYFLY_UNSUPPORTED when a newer mayfly wrote it; MAYFLY_NOT_FOUND, MAYFLY_CORRUPTION,
 * MAYFLY_IO_ERROR, MAYFLY_WRONG_PASSWORD as in database.h. `*database` is null after a failure. */
int mayfly_open(const mayfly_database_options* options, mayfly_database** database) MAYFLY_NOEXCEPT;

/* Closes the database and releases the handle. MAYFLY_BUSY while transactions that are not over,
 * snapshots, cursors or reapers exist: nothing is closed or released. After any other code the
 * handle is gone. */
int mayfly_close(mayfly_database* database) MAYFLY_NOEXCEPT;

/* Makes everything committed so far at least this durable. */
int mayfly_sync(mayfly_database* database, int durability) MAYFLY_NOEXCEPT;

/* ---- Keyspaces ---- */

enum { MAYFLY_BREACH_REFUSE = 0, MAYFLY_BREACH_CLAMP = 1 };
enum { MAYFLY_EVENTS_OFF = 0, MAYFLY_EVENTS_KEY = 1, MAYFLY_EVENTS_KEY_AND_VALUE = 2 };

enum { MAYFLY_ORDER_ARRIVAL = 0, MAYFLY_ORDER_TIMESTAMP = 1 };

/* What a keyspace asks of its rows; see policy.h. A ttl of 0: none. */
typedef struct mayfly_policy {
  size_t size;
  int64_t default_ttl_ms;
  int64_t min_ttl_ms;
  int64_t max_ttl_ms;
  bool require_ttl;
  int breach;
  uint32_t jitter_permille;
  int events;
  int64_t purge_within_ms; /* 0: no promise. */
  int64_t history_ms;
  int64_t late_max_ms; /* 0: any distance. */
  int order;           /* MAYFLY_ORDER_...; chosen when the keyspace is made. */
} mayfly_policy;

/* The keyspace called "default", which always exists. */
int mayfly_default_keyspace(mayfly_database* database, mayfly_keyspace** keyspace) MAYFLY_NOEXCEPT;

/* Creates a keyspace. MAYFLY_INVALID when the name is empty, longer than 255 bytes, begins with two
 * underscores, or is taken, or when the policy contradicts itself or gives a ttl that ends after
 * the last instant there is. Null policy: defaults. */
int mayfly_create_keyspace(mayfly_database* database, const char* name, const mayfly_policy* policy,
                           mayfly_keyspace** keyspace) MAYFLY_NOEXCEPT;

/* Opens a keyspace. MAYFLY_NOT_FOUND when none has that name. */
int mayfly_open_keyspace(mayfly_database* database, const char* name,
                         mayfly_keyspace** keyspace) MAYFLY_NOEXCEPT;

/* The names in order, in one block: free `*names` only. */
int mayfly_list_keyspaces(mayfly_database* database, char*** names, size_t* count) MAYFLY_NOEXCEPT;

/* Removes a keyspace with all its rows at once. The default keyspace cannot be dropped. */
int mayfly_drop_keyspace(mayfly_database* database, const char* name) MAYFLY_NOEXCEPT;

void mayfly_release_keyspace(mayfly_keyspace* keyspace) MAYFLY_NOEXCEPT;

/* The keyspace's name. Lives as long as the handle; "" for null. */
const char* mayfly_keyspace_name(const mayfly_keyspace* keyspace) MAYFLY_NOEXCEPT;

/* Fills `*policy`, whose size must be set. */
int mayfly_get_policy(mayfly_keyspace* keyspace, mayfly_policy* policy) MAYFLY_NOEXCEPT;
/* Sets the policy of writes from now on. MAYFLY_INVALID when it contradicts itself. */
int mayfly_set_policy(mayfly_keyspace* keyspace, const mayfly_policy* policy) MAYFLY_NOEXCEPT;

/* Removes every row at once, without events. */
int mayfly_clear(mayfly_keyspace* keyspace) MAYFLY_NOEXCEPT;

/* The view on which each call is atomic by itself, at the clock's instant. Null for null. */
mayfly_view* mayfly_keyspace_view(mayfly_keyspace* keyspace) MAYFLY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* MAYFLY_C_DATABASE_H */
