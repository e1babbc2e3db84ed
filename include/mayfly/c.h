/* c.h - mayfly from C, and from every language that can call C.
 *
 *   mayfly_database_options options = {.size = sizeof options, .directory = "sessions.db"};
 *   mayfly_database* db = NULL;
 *   mayfly_keyspace* sessions = NULL;
 *   if (mayfly_open(&options, &db) != MAYFLY_OK) return fail(mayfly_error_message());
 *   mayfly_default_keyspace(db, &sessions);
 *   mayfly_view* rows = mayfly_keyspace_view(sessions);
 *   mayfly_put(rows, "session:7", 9, "alice", 5, mayfly_for(30 * 60 * 1000));
 *
 * The words, the rules and the limits are those of the C++ headers (database.h, keyspace.h,
 * transaction.h, lifetime.h, policy.h, events.h, maintenance.h, cursor.h); this page says what is
 * different in C.
 *
 * How calls fail. A call returns MAYFLY_OK or an error code. A call that fails has written nothing:
 * not to the database, and to out parameters only where it says so. mayfly_error_message() gives
 * the reason in words. A null handle, or null where bytes, a name or an out parameter are needed,
 * is MAYFLY_INVALID. Nothing is thrown, whatever callbacks do, as long as they return.
 *
 * How long things live. Handles are released by the call named at their type; releasing NULL does
 * nothing. Handles of one database may be released in any order, also after it closed: until then
 * calls on them return MAYFLY_INVALID. A handle must not be used after its own release. Buffers and
 * lists that a call returns belong to the caller, who releases them with mayfly_free(), one call
 * per out parameter. A value is followed by a zero byte, outside its size, so that text can be
 * printed.
 *
 * Structs that begin with `size` can grow: set it to sizeof the struct. In options, a field that is
 * zero has its default, so `{.size = sizeof o}` and a null pointer ask for all defaults. Structs
 * without `size` stay as they are.
 *
 * Threads. Calls on databases, keyspaces, their views and snapshots are safe from any thread. A
 * transaction, its views and a cursor belong to one thread at a time.
 *
 * Processes. In a child made by fork() calls on the parent's handles are MAYFLY_INVALID; releasing
 * and closing them is allowed and touches nothing. The child opens the database anew, once the
 * parent has closed it.
 *
 * Time is in milliseconds: instants since 1970 (int64_t), lengths likewise.
 *
 * Codes, handles, databases and keyspaces are in c_database.h; purges, events, checks, backups and
 * figures in c_maintenance.h. This page includes both. */
#ifndef MAYFLY_C_H
#define MAYFLY_C_H

#include "mayfly/c_database.h"
#include "mayfly/c_maintenance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading rows ---- */

#define MAYFLY_FOREVER INT64_MAX /* The deadline and the ttl of a row without a deadline. */

typedef struct mayfly_bytes {
  const void* data;
  size_t size;
} mayfly_bytes;

/* One result of mayfly_multi_get(): MAYFLY_OK with the value, MAYFLY_NOT_FOUND, or the error of
 * this key. */
typedef struct mayfly_answer {
  int code;
  const void* value;
  size_t value_size;
} mayfly_answer;

/* The value, as a copy. MAYFLY_NOT_FOUND leaves `*value` null and `*value_size` 0, as every failure
 * does. */
int mayfly_get(const mayfly_view* view, const void* key, size_t key_size, void** value,
               size_t* value_size) MAYFLY_NOEXCEPT;

/* The value and the deadline. */
int mayfly_get_row(const mayfly_view* view, const void* key, size_t key_size, void** value,
                   size_t* value_size, int64_t* deadline_ms) MAYFLY_NOEXCEPT;

/* The row as it was at `as_of_ms`, in a keyspace ordered by timestamp. `deadline_ms` and
 * `timestamp_ms` may be null. */
int mayfly_get_as_of(const mayfly_view* view, const void* key, size_t key_size, int64_t as_of_ms,
                     void** value, size_t* value_size, int64_t* deadline_ms,
                     int64_t* timestamp_ms) MAYFLY_NOEXCEPT;

/* One result per key, in order, all from one state at one instant, in one block: free `*answers`
 * only. MAYFLY_INVALID for more than 2^24 keys. */
int mayfly_multi_get(const mayfly_view* view, const mayfly_bytes* keys, size_t count,
                     mayfly_answer** answers) MAYFLY_NOEXCEPT;

/* Tells whether a living row exists. */
int mayfly_exists(const mayfly_view* view, const void* key, size_t key_size,
                  bool* exists) MAYFLY_NOEXCEPT;

/* The time left: more than 0, or MAYFLY_FOREVER. MAYFLY_NOT_FOUND when there is no living row. */
int mayfly_ttl(const mayfly_view* view, const void* key, size_t key_size,
               int64_t* ttl_ms) MAYFLY_NOEXCEPT;

/* The number of living rows, exactly. */
int mayfly_count(const mayfly_view* view, uint64_t* rows) MAYFLY_NOEXCEPT;

/* ---- Writing rows ---- */

/* How a write states when its row dies; see lifetime.h. Made by the five functions below. */
typedef struct mayfly_lifetime {
  int kind;
  int64_t ms;
} mayfly_lifetime;

enum {
  MAYFLY_LIFETIME_DEFAULT = 0,
  MAYFLY_LIFETIME_FOR = 1,
  MAYFLY_LIFETIME_UNTIL = 2,
  MAYFLY_LIFETIME_FOREVER = 3,
  MAYFLY_LIFETIME_KEEP = 4
};

static inline mayfly_lifetime mayfly_lifetime_of(int kind, int64_t ms) {
  mayfly_lifetime lifetime;
  lifetime.kind = kind;
  lifetime.ms = ms;
  return lifetime;
}
/* The keyspace's default ttl, or for ever when it has none. */
static inline mayfly_lifetime mayfly_by_default(void) {
  return mayfly_lifetime_of(MAYFLY_LIFETIME_DEFAULT, 0);
}
/* This long from the commit on; must be positive. */
static inline mayfly_lifetime mayfly_for(int64_t ttl_ms) {
  return mayfly_lifetime_of(MAYFLY_LIFETIME_FOR, ttl_ms);
}
/* Up to this instant; one that has passed deletes the row. */
static inline mayfly_lifetime mayfly_until(int64_t instant_ms) {
  return mayfly_lifetime_of(MAYFLY_LIFETIME_UNTIL, instant_ms);
}
static inline mayfly_lifetime mayfly_forever(void) {
  return mayfly_lifetime_of(MAYFLY_LIFETIME_FOREVER, 0);
}
/* The deadline of the row that is replaced; for a new row, the keyspace's default. */
static inline mayfly_lifetime mayfly_keep(void) {
  return mayfly_lifetime_of(MAYFLY_LIFETIME_KEEP, 0);
}

enum {
  MAYFLY_PUT_ALWAYS = 0,
  MAYFLY_PUT_IF_ABSENT = 1,
  MAYFLY_PUT_IF_PRESENT = 2,
  MAYFLY_PUT_IF_EQUALS = 3
};

/* When a change of deadline goes ahead; see DeadlineIf in keyspace.h. */
enum {
  MAYFLY_DEADLINE_ALWAYS = 0,
  MAYFLY_DEADLINE_IF_NONE = 1,
  MAYFLY_DEADLINE_IF_PRESENT = 2,
  MAYFLY_DEADLINE_IF_LATER = 3,
  MAYFLY_DEADLINE_IF_EARLIER = 4
};

/* Writes the row, replacing any row under the key. */
int mayfly_put(mayfly_view* view, const void* key, size_t key_size, const void* value,
               size_t value_size, mayfly_lifetime lifetime) MAYFLY_NOEXCEPT;

/* Writes the row if the condition, MAYFLY_PUT_..., holds; `*written` tells whether it did.
 * `expected` is for MAYFLY_PUT_IF_EQUALS only. */
int mayfly_put_if(mayfly_view* view, const void* key, size_t key_size, const void* value,
                  size_t value_size, mayfly_lifetime lifetime, int condition, mayfly_bytes expected,
                  bool* written) MAYFLY_NOEXCEPT;

/* Deletes the row. `*was_there`, which may be null, tells whether a living row existed. */
int mayfly_delete(mayfly_view* view, const void* key, size_t key_size,
                  bool* was_there) MAYFLY_NOEXCEPT;

/* Each of the two writes or deletes at the caller's timestamp, in a keyspace ordered by timestamp.
 * `*is_last`, which may be null, tells whether this is now the newest write to the key. */
int mayfly_put_at(mayfly_view* view, const void* key, size_t key_size, const void* value,
                  size_t value_size, int64_t timestamp_ms, mayfly_lifetime lifetime,
                  bool* is_last) MAYFLY_NOEXCEPT;
int mayfly_delete_at(mayfly_view* view, const void* key, size_t key_size, int64_t timestamp_ms,
                     bool* is_last) MAYFLY_NOEXCEPT;

/* What a mayfly_update_function returns. */
enum { MAYFLY_UPDATE_PUT = 0, MAYFLY_UPDATE_DELETE = 1, MAYFLY_UPDATE_LEAVE = 2 };

/* Given the living value, or null when there is none, returns MAYFLY_UPDATE_...; any other number
 * is MAYFLY_INVALID. For MAYFLY_UPDATE_PUT the new value is in `*fresh`, which belongs to the
 * callback and is copied before mayfly_update() returns. Runs under the key's latch: it must be
 * quick and must not call into the database. */
typedef int (*mayfly_update_function)(void* context, const void* old, size_t old_size,
                                      const void** fresh, size_t* fresh_size);

/* Reads, computes and writes as one step. Pass mayfly_keep() to keep the deadline. */
int mayfly_update(mayfly_view* view, const void* key, size_t key_size,
                  mayfly_update_function update, void* context,
                  mayfly_lifetime lifetime) MAYFLY_NOEXCEPT;

/* Changes the deadline alone. `*changed`, which may be null, tells whether the condition held. */
int mayfly_expire(mayfly_view* view, const void* key, size_t key_size, mayfly_lifetime lifetime,
                  int condition, bool* changed) MAYFLY_NOEXCEPT;

/* Takes the deadline away. `*changed`, which may be null, tells whether there was one. */
int mayfly_persist(mayfly_view* view, const void* key, size_t key_size,
                   bool* changed) MAYFLY_NOEXCEPT;

/* Reads the row and renews its lifetime as one step. Each out parameter may be null. */
int mayfly_touch(mayfly_view* view, const void* key, size_t key_size, mayfly_lifetime lifetime,
                 void** value, size_t* value_size, int64_t* deadline_ms) MAYFLY_NOEXCEPT;

/* ---- Cursors ---- */

enum { MAYFLY_ROWS_ALL = 0, MAYFLY_ROWS_MORTAL = 1, MAYFLY_ROWS_IMMORTAL = 2 };

/* The keys a cursor shows: those with the prefix, from begin on, before end. An empty field sets no
 * bound. */
typedef struct mayfly_cursor_options {
  size_t size;
  mayfly_bytes prefix;
  mayfly_bytes begin;
  mayfly_bytes end;
  int filter;     /* MAYFLY_ROWS_... */
  bool has_as_of; /* The rows as they were at as_of_ms; see mayfly_get_as_of(). */
  int64_t as_of_ms;
} mayfly_cursor_options;

/* Opens a cursor over one frozen state at one frozen instant, both ways. A new cursor is on no row:
 * seek first. */
int mayfly_open_cursor(const mayfly_view* view, const mayfly_cursor_options* options,
                       mayfly_cursor** cursor) MAYFLY_NOEXCEPT;
void mayfly_close_cursor(mayfly_cursor* cursor) MAYFLY_NOEXCEPT;

/* Each of the six returns MAYFLY_OK also when no row is left: check mayfly_cursor_valid(). Moving
 * on from there is MAYFLY_INVALID. */
int mayfly_seek_first(mayfly_cursor* cursor) MAYFLY_NOEXCEPT;
int mayfly_seek_last(mayfly_cursor* cursor) MAYFLY_NOEXCEPT;
int mayfly_seek_at_or_after(mayfly_cursor* cursor, const void* key,
                            size_t key_size) MAYFLY_NOEXCEPT;
int mayfly_seek_at_or_before(mayfly_cursor* cursor, const void* key,
                             size_t key_size) MAYFLY_NOEXCEPT;
int mayfly_next(mayfly_cursor* cursor) MAYFLY_NOEXCEPT;
int mayfly_previous(mayfly_cursor* cursor) MAYFLY_NOEXCEPT;

/* True on a row. */
bool mayfly_cursor_valid(const mayfly_cursor* cursor) MAYFLY_NOEXCEPT;

/* The row the cursor is on, until it moves or closes. Each out parameter may be null. */
int mayfly_cursor_row(const mayfly_cursor* cursor, mayfly_bytes* key, mayfly_bytes* value,
                      int64_t* deadline_ms) MAYFLY_NOEXCEPT;

/* The timestamp of the row the cursor is on. MAYFLY_INVALID in a keyspace that is not ordered by
 * timestamp. */
int mayfly_cursor_timestamp(const mayfly_cursor* cursor, int64_t* timestamp_ms) MAYFLY_NOEXCEPT;

/* ---- Deadlines and forecasts ---- */

typedef struct mayfly_deadline_entry {
  const void* key;
  size_t key_size;
  int64_t deadline_ms;
} mayfly_deadline_entry;

/* Living rows whose deadline lies in [begin, end). */
typedef struct mayfly_deadline_window {
  size_t size;
  int64_t begin_ms;
  int64_t end_ms;  /* 0: no end. */
  size_t rows_max; /* 0: 1000. */
  const mayfly_deadline_entry*
      after; /* The last entry of the page before, to continue after it; or null. */
} mayfly_deadline_window;

/* The entries in the order they will die, in one block: free `*entries` only. */
int mayfly_scan_deadlines(const mayfly_view* view, const mayfly_deadline_window* window,
                          mayfly_deadline_entry** entries, size_t* count) MAYFLY_NOEXCEPT;

typedef struct mayfly_forecast_options {
  size_t size;
  int64_t bucket_ms;  /* 0: a minute. */
  size_t buckets;     /* 0: 60. At most 10,000. */
  bool without_bytes; /* Reads the index only; `bytes` stay 0. */
} mayfly_forecast_options;

/* Rows that die in [begin, end). */
typedef struct mayfly_forecast_bucket {
  int64_t begin_ms;
  int64_t end_ms;
  uint64_t rows;
  uint64_t bytes;
} mayfly_forecast_bucket;

/* The numbers and bytes of rows that will die, by time from now on, in one block: free `*buckets`
 * only. */
int mayfly_forecast(const mayfly_view* view, const mayfly_forecast_options* options,
                    mayfly_forecast_bucket** buckets, size_t* count) MAYFLY_NOEXCEPT;

/* ---- Transactions and snapshots ---- */

int mayfly_begin(mayfly_database* database, mayfly_transaction** transaction) MAYFLY_NOEXCEPT;

/* The keyspace as the transaction sees and changes it. MAYFLY_INVALID for a keyspace of another
 * database. */
int mayfly_transaction_view(mayfly_transaction* transaction, mayfly_keyspace* keyspace,
                            mayfly_view** view) MAYFLY_NOEXCEPT;

/* The frozen instant. */
int mayfly_transaction_now(mayfly_transaction* transaction, int64_t* now_ms) MAYFLY_NOEXCEPT;

/* Marks a point to come back to. Savepoints nest. Rolling back undoes everything since the last
 * savepoint and forgets that savepoint; MAYFLY_INVALID when there is none. */
int mayfly_set_savepoint(mayfly_transaction* transaction) MAYFLY_NOEXCEPT;
int mayfly_rollback_to_savepoint(mayfly_transaction* transaction) MAYFLY_NOEXCEPT;

/* Commits. MAYFLY_CONFLICT: nothing was written; begin again. MAYFLY_BUSY while cursors of the
 * transaction are open: it goes on. After any other outcome the transaction is over, and every call
 * on it is MAYFLY_INVALID. */
int mayfly_commit(mayfly_transaction* transaction, int durability) MAYFLY_NOEXCEPT;

/* Ends the transaction; nothing is written. MAYFLY_BUSY while its cursors are open: it goes on. */
int mayfly_rollback(mayfly_transaction* transaction) MAYFLY_NOEXCEPT;

/* Releases the handle and rolls back a transaction that is not over; with open cursors, once the
 * last of them closes. */
void mayfly_release_transaction(mayfly_transaction* transaction) MAYFLY_NOEXCEPT;

int mayfly_take_snapshot(mayfly_database* database, mayfly_snapshot** snapshot) MAYFLY_NOEXCEPT;
int mayfly_snapshot_view(mayfly_snapshot* snapshot, mayfly_keyspace* keyspace,
                         mayfly_view** view) MAYFLY_NOEXCEPT;
int mayfly_snapshot_now(mayfly_snapshot* snapshot, int64_t* now_ms) MAYFLY_NOEXCEPT;

/* Releases the handle; the snapshot stays until the last of its open cursors closes. */
void mayfly_release_snapshot(mayfly_snapshot* snapshot) MAYFLY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* MAYFLY_C_H */
