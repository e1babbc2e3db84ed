/* c.h from plain C: rows ordered by timestamp, promises, proofs, states that get too old. */
#include "capi/testing/c_home.h"
#include "mayfly/c.h"

static void ordered_by_timestamp(void) {
  mayfly_database* db = open_memory();
  mayfly_policy policy = {.size = sizeof policy,
                          .order = MAYFLY_ORDER_TIMESTAMP,
                          .history_ms = 10 * TTL,
                          .late_max_ms = 20 * TTL};
  mayfly_keyspace* keyspace = NULL;
  OK(mayfly_create_keyspace(db, "readings", &policy, &keyspace));
  mayfly_policy stored = {.size = sizeof stored};
  OK(mayfly_get_policy(keyspace, &stored));
  THAT(stored.order == MAYFLY_ORDER_TIMESTAMP && stored.history_ms == 10 * TTL &&
       stored.late_max_ms == 20 * TTL && stored.purge_within_ms == 0);

  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  const int64_t start = clock_now;
  bool last = false;
  OK(mayfly_put_at(rows, "k", 1, "new", 3, start, mayfly_for(5 * TTL), &last));
  THAT(last);
  OK(mayfly_put_at(rows, "k", 1, "old", 3, start - TTL, mayfly_forever(), &last));
  THAT(!last);
  THAT(has(rows, "k", "new"));
  OK(mayfly_delete_at(rows, "k", 1, start - 2 * TTL, &last));
  THAT(!last);
  MAYFLY_CHECK_CODE(mayfly_put_at(rows, "k", 1, "x", 1, start - 21 * TTL, mayfly_forever(), NULL),
                    MAYFLY_INVALID);

  void* value = NULL;
  size_t size = 0;
  int64_t deadline = 0;
  int64_t timestamp = 0;
  OK(mayfly_get_as_of(rows, "k", 1, start - 1, &value, &size, &deadline, &timestamp));
  THAT(size == 3 && memcmp(value, "old", 3) == 0 && deadline == MAYFLY_FOREVER &&
       timestamp == start - TTL);
  mayfly_free(value);
  MAYFLY_CHECK_CODE(mayfly_get_as_of(rows, "k", 1, start - TTL - 1, &value, &size, NULL, NULL),
                    MAYFLY_NOT_FOUND);
  MAYFLY_CHECK_CODE(mayfly_get_as_of(rows, "k", 1, start - 10 * TTL - 1, &value, &size, NULL, NULL),
                    MAYFLY_INVALID);

  mayfly_cursor_options past = {.size = sizeof past, .has_as_of = true, .as_of_ms = start - 1};
  mayfly_cursor* cursor = NULL;
  OK(mayfly_open_cursor(rows, &past, &cursor));
  OK(mayfly_seek_first(cursor));
  THAT(mayfly_cursor_valid(cursor));
  OK(mayfly_cursor_timestamp(cursor, &timestamp));
  THAT(timestamp == start - TTL);
  mayfly_close_cursor(cursor);

  mayfly_keyspace* plain = default_of(db);
  MAYFLY_CHECK_CODE(
      mayfly_put_at(mayfly_keyspace_view(plain), "k", 1, "v", 1, start, mayfly_forever(), NULL),
      MAYFLY_INVALID);
  mayfly_release_keyspace(plain);
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
}

static void promises(void) {
  char folder[64];
  char directory[128];
  c_test_folder(folder);
  snprintf(directory, sizeof directory, "%s/db", folder);
  mayfly_database_options options = {.size = sizeof options,
                                     .directory = directory,
                                     .memory = MAYFLY_MEMORY_TINY,
                                     .clock_jump_max_ms = INT64_MAX,
                                     .clock = &manual,
                                     .state_age_max_ms = 30 * TTL};
  mayfly_database* db = NULL;
  OK(mayfly_open(&options, &db));
  mayfly_policy policy = {.size = sizeof policy, .purge_within_ms = 20 * TTL};
  mayfly_keyspace* keyspace = default_of(db);
  OK(mayfly_set_policy(keyspace, &policy));
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  OK(put(rows, "key", "a value that must go", mayfly_for(TTL)));

  bool kept = false;
  size_t traces = 0;
  char** words = NULL;
  size_t count = 0;
  mayfly_snapshot* snapshot = NULL;
  OK(mayfly_take_snapshot(db, &snapshot));
  clock_now += 25 * TTL;
  mayfly_reclaim_options everything = {.size = sizeof everything, .everything = true};
  mayfly_reclaim_report report = {.size = sizeof report};
  OK(mayfly_reclaim(db, &everything, &report));
  THAT(report.held_up && !report.stopped_by_clock);
  OK(mayfly_prove(db, "must go", 7, &kept, &traces, &words, &count));
  THAT(!kept && traces > 0 && count > traces);
  mayfly_free(words);

  clock_now += 10 * TTL; /* The snapshot is too old now. */
  OK(mayfly_reclaim(db, &everything, &report));
  THAT(!report.held_up);
  OK(mayfly_prove(db, "must go", 7, &kept, &traces, NULL, NULL));
  THAT(kept && traces == 0);
  mayfly_view* frozen = NULL;
  OK(mayfly_snapshot_view(snapshot, keyspace, &frozen));
  uint64_t living = 0;
  MAYFLY_CHECK_CODE(mayfly_count(frozen, &living), MAYFLY_CONFLICT);
  mayfly_release_snapshot(snapshot);

  mayfly_statistics statistics = {.size = sizeof statistics};
  mayfly_keyspace_statistics* keyspaces = NULL;
  OK(mayfly_get_statistics(db, &statistics, &keyspaces, &count));
  THAT(count == 1 && keyspaces[0].purge_within_ms == 20 * TTL &&
       keyspaces[0].purged_through_ms == clock_now);
  mayfly_free(keyspaces);
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
  snprintf(directory, sizeof directory, "rm -r %s", folder);
  THAT(system(directory) == 0);
}

int main(void) {
  ordered_by_timestamp();
  promises();
  return c_test_outcome();
}
