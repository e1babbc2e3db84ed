/* c.h from plain C: purging, events, files, clock, check, backup, on a clock that the test moves.
 */
#include <stddef.h>

#include "capi/testing/c_home.h"
#include "mayfly/c.h"

static void count_event(void* context, const mayfly_event* event) {
  if (strcmp(event->keyspace_name, "default") == 0 && event->value_size == 1) ++*(int*)context;
}

static void purge_reaper_events(void) {
  mayfly_database* db = open_memory();
  mayfly_keyspace* keyspace = default_of(db);
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  mayfly_policy policy = {.size = sizeof policy, .events = MAYFLY_EVENTS_KEY_AND_VALUE};
  mayfly_subscription* subscription = NULL;
  int told = 0;
  OK(mayfly_set_policy(keyspace, &policy));
  OK(mayfly_subscribe(db, count_event, &told, &subscription));
  OK(put(rows, "a", "1", mayfly_for(TTL)));
  OK(put(rows, "b", "2", mayfly_for(TTL)));
  OK(put(rows, "c", "3", mayfly_for(2 * TTL)));
  clock_now += TTL;
  mayfly_purge_options bounds = {.size = sizeof bounds, .rows_max = 1, .keyspace = keyspace};
  mayfly_purge_report report = {.size = sizeof report};
  OK(mayfly_purge(db, &bounds, &report));
  THAT(report.rows == 1 && report.more_due && !report.stopped_by_clock);
  OK(mayfly_purge(db, NULL, &report));
  THAT(report.rows == 1 && !report.more_due && told == 2);
  OK(mayfly_purge(db, NULL, NULL));

  mayfly_reaper* reaper = NULL;
  OK(mayfly_start_reaper(db, NULL, &reaper));
  MAYFLY_CHECK_CODE(mayfly_close(db), MAYFLY_BUSY);
  clock_now += TTL;
  OK(mayfly_await_idle(reaper));
  OK(mayfly_stop_reaper(reaper));
  THAT(told == 3);
  mayfly_unsubscribe(subscription);

  mayfly_event* events = NULL;
  size_t count = 0;
  OK(mayfly_read_events(db, 1, 10, &events, &count));
  THAT(count == 2 && events[0].sequence == 2 && events[1].sequence == 3);
  THAT(strcmp(events[1].key, "c") == 0 && strcmp(events[1].value, "3") == 0);
  THAT(events[1].cause == MAYFLY_CAUSE_PURGED && events[1].deadline_ms == clock_now);
  THAT(strcmp(events[1].keyspace_name, "default") == 0 && events[1].purged_at_ms == clock_now);
  mayfly_free(events);
  mayfly_event_with_member* full = NULL;
  OK(mayfly_read_events_with_members(db, 2, 10, &full, &count));
  THAT(count == 1 && full[0].event.sequence == 3 && strcmp(full[0].event.key, "c") == 0);
  THAT(strcmp(full[0].event.value, "3") == 0 && full[0].member == NULL);
  mayfly_free(full);
  uint64_t last = 0;
  OK(mayfly_last_event_sequence(db, &last));
  THAT(last == 3);

  /* In steps of one; what an older caller does not know of has no bound. */
  mayfly_event_trim trim = {
      .size = sizeof trim, .by_number = true, .keep_newest = 1, .events_max = 1};
  uint64_t removed = 0;
  OK(mayfly_trim_events(db, &trim, &removed));
  THAT(removed == 1);
  trim.size = offsetof(mayfly_event_trim, events_max);
  OK(mayfly_trim_events(db, &trim, &removed));
  THAT(removed == 1);
  trim = (mayfly_event_trim){.size = sizeof trim, .by_number = true, .keep_newest = 0};
  OK(mayfly_trim_events(db, &trim, &removed));
  OK(mayfly_last_event_sequence(db, &last));
  THAT(removed == 1 && last == 3);
  mayfly_statistics statistics;
  memset(&statistics, 0x11, sizeof statistics);
  statistics.size = sizeof statistics;
  mayfly_keyspace_statistics* keyspaces = NULL;
  OK(mayfly_get_statistics(db, &statistics, &keyspaces, &count));
  THAT(statistics.purged_rows == 3 && statistics.events_first == 0 && statistics.events_last == 0);
  THAT(statistics.purged_members == 0 && statistics.removed_collections == 0);
  THAT(statistics.revoked_states == 0 && statistics.files_dropped == 0);
  THAT(statistics.files_rewritten == 0 && statistics.bytes_rewritten == 0);
  THAT(statistics.damage_seen == 0 && !statistics.disk_full);
  THAT(statistics.last_commit < (uint64_t)1 << 40);
  THAT(count == 1 && strcmp(keyspaces[0].name, "default") == 0 && keyspaces[0].rows == 0);
  mayfly_free(keyspaces);
  OK(mayfly_get_statistics(db, &statistics, NULL, NULL));
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
}

static long reserve_bytes(const char* directory) {
  char path[160];
  snprintf(path, sizeof path, "%s/RESERVE", directory); /* docs/formats/rocks_directory.md */
  FILE* const file = fopen(path, "rb");
  if (file == NULL) return 0;
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  fclose(file);
  return bytes;
}

static void reserve(mayfly_database_options options) {
  mayfly_database* db = NULL;
  THAT(reserve_bytes(options.directory) == 0);
  options.disk_reserve_bytes = 1 << 20;
  OK(mayfly_open(&options, &db));
  THAT(reserve_bytes(options.directory) == 1 << 20);
  OK(mayfly_close(db));
  /* A caller compiled before there was the field. */
  options.size = offsetof(mayfly_database_options, disk_reserve_bytes);
  OK(mayfly_open(&options, &db));
  THAT(reserve_bytes(options.directory) == 0);
  OK(mayfly_close(db));
}

static void files_clock_backup(void) {
  char folder[64];
  char directory[128];
  char backup[128];
  c_test_folder(folder);
  snprintf(directory, sizeof directory, "%s/db", folder);
  snprintf(backup, sizeof backup, "%s/backup", folder);
  mayfly_database_options options = {.size = sizeof options,
                                     .directory = directory,
                                     .must_exist = true,
                                     .memory = MAYFLY_MEMORY_TINY,
                                     .clock_jump_max_ms = 10 * TTL,
                                     .clock = &manual};
  mayfly_database* db = NULL;
  mayfly_database* other = NULL;
  MAYFLY_CHECK_CODE(mayfly_open(&options, &db), MAYFLY_NOT_FOUND);
  THAT(db == NULL && strstr(mayfly_error_message(), directory) != NULL);
  options.must_exist = false;
  OK(mayfly_open(&options, &db));
  MAYFLY_CHECK_CODE(mayfly_open(&options, &other), MAYFLY_BUSY);
  mayfly_keyspace* keyspace = default_of(db);
  OK(put(mayfly_keyspace_view(keyspace), "a", "1", mayfly_for(TTL)));
  OK(put(mayfly_keyspace_view(keyspace), "b", "2", mayfly_forever()));
  OK(mayfly_sync(db, MAYFLY_DURABILITY_DISK));
  mayfly_backup_report saved = {.size = sizeof saved};
  OK(mayfly_backup(db, backup, &saved));
  THAT(saved.rows == 2 && saved.keyspaces == 1 && saved.bytes > 0 &&
       saved.taken_at_ms == clock_now);
  MAYFLY_CHECK_CODE(mayfly_backup(db, backup, NULL), MAYFLY_INVALID);
  mayfly_check_report check = {.size = sizeof check};
  char** findings = NULL;
  size_t count = 9;
  OK(mayfly_check(db, NULL, &check, &findings, &count));
  THAT(check.clean && check.rows == 2 && check.entries == 1 && count == 0);
  mayfly_free(findings);

  clock_now += 100 * TTL; /* A jump: hidden, but not removed. */
  mayfly_purge_report purged = {.size = sizeof purged};
  mayfly_clock_report clock = {.size = sizeof clock};
  THAT(has(mayfly_keyspace_view(keyspace), "a", NULL));
  OK(mayfly_purge(db, NULL, &purged));
  THAT(purged.stopped_by_clock && purged.rows == 0);
  OK(mayfly_get_clock_report(db, &clock));
  THAT(clock.physical_deletion_stopped && clock.jumps_forward == 1 && clock.now_ms == clock_now);
  THAT(clock.machine_ms == clock_now && clock.without_jump_ms == clock_now - 100 * TTL);
  MAYFLY_CHECK_CODE(mayfly_revert_clock(db), MAYFLY_INVALID);
  clock_now -= 100 * TTL; /* It was wrong: back to where it was. */
  MAYFLY_CHECK_CODE(mayfly_confirm_clock(db), MAYFLY_INVALID);
  THAT(has(mayfly_keyspace_view(keyspace), "a", NULL));
  OK(mayfly_revert_clock(db));
  THAT(has(mayfly_keyspace_view(keyspace), "a", "1"));
  clock_now += 100 * TTL; /* And once more, this time it is right. */
  THAT(has(mayfly_keyspace_view(keyspace), "a", NULL));
  OK(mayfly_confirm_clock(db));
  OK(mayfly_purge(db, NULL, &purged));
  THAT(purged.rows == 1);
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
  reserve(options);

  options.read_only = true;
  OK(mayfly_open(&options, &db));
  keyspace = default_of(db);
  THAT(has(mayfly_keyspace_view(keyspace), "b", "2"));
  MAYFLY_CHECK_CODE(put(mayfly_keyspace_view(keyspace), "b", "3", mayfly_forever()),
                    MAYFLY_READ_ONLY);
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));

  db = open_memory();
  mayfly_restore_options frozen = {.size = sizeof frozen, .mode = MAYFLY_RESTORE_FREEZE};
  mayfly_restore_report restored = {.size = sizeof restored, .lost_collections = 1};
  OK(mayfly_restore(db, backup, &frozen, &restored));
  THAT(restored.rows == 2 && restored.dropped_rows == 0 && restored.lost_collections == 0);
  MAYFLY_CHECK_CODE(mayfly_restore(db, backup, NULL, NULL), MAYFLY_INVALID);
  keyspace = default_of(db);
  THAT(has(mayfly_keyspace_view(keyspace), "a", "1"));
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
  snprintf(directory, sizeof directory, "rm -r %s", folder);
  THAT(system(directory) == 0);
}

static void encryption(void) {
  char folder[64];
  char directory[128];
  char backup[128];
  c_test_folder(folder);
  snprintf(directory, sizeof directory, "%s/db", folder);
  snprintf(backup, sizeof backup, "%s/backup", folder);
  mayfly_database_options options = {.size = sizeof options,
                                     .directory = directory,
                                     .memory = MAYFLY_MEMORY_TINY,
                                     .clock = &manual,
                                     .password = "secret",
                                     .password_size = 6};
  mayfly_database* db = NULL;
  OK(mayfly_open(&options, &db));
  mayfly_keyspace* keyspace = default_of(db);
  OK(put(mayfly_keyspace_view(keyspace), "a", "1", mayfly_forever()));
  OK(mayfly_backup(db, backup, NULL));
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
  options.password_size = 5;
  MAYFLY_CHECK_CODE(mayfly_open(&options, &db), MAYFLY_WRONG_PASSWORD);
  THAT(db == NULL && strstr(mayfly_error_message(), "wrong password") != NULL);
  THAT(strcmp(mayfly_code_name(MAYFLY_WRONG_PASSWORD), "WrongPassword") == 0);
  options.password = NULL;
  options.password_size = 0;
  MAYFLY_CHECK_CODE(mayfly_open(&options, &db), MAYFLY_WRONG_PASSWORD);

  db = open_memory();
  mayfly_restore_options restore = {.size = sizeof restore};
  MAYFLY_CHECK_CODE(mayfly_restore(db, backup, &restore, NULL), MAYFLY_WRONG_PASSWORD);
  restore.password = "secret";
  restore.password_size = 6;
  OK(mayfly_restore(db, backup, &restore, NULL));
  keyspace = default_of(db);
  THAT(has(mayfly_keyspace_view(keyspace), "a", "1"));
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
  snprintf(directory, sizeof directory, "rm -r %s", folder);
  THAT(system(directory) == 0);
}

struct waiting {
  mayfly_reaper* reaper;
  int idle, stopped, closed, told;
  mayfly_database* db;
};

/* On the reaper's own thread. */
static void wait_for_the_reaper(void* context, const mayfly_event* event) {
  struct waiting* const it = context;
  (void)event;
  ++it->told;
  it->idle = mayfly_await_idle(it->reaper);
  it->stopped = mayfly_stop_reaper(it->reaper);
  it->closed = mayfly_close(it->db);
}

static void an_event_function_does_not_wait_for_its_own_thread(void) {
  mayfly_database* db = open_memory();
  mayfly_keyspace* keyspace = default_of(db);
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  mayfly_policy policy = {.size = sizeof policy, .events = MAYFLY_EVENTS_KEY};
  mayfly_subscription* subscription = NULL;
  struct waiting it = {.db = db};
  OK(mayfly_set_policy(keyspace, &policy));
  OK(mayfly_subscribe(db, wait_for_the_reaper, &it, &subscription));
  OK(mayfly_start_reaper(db, NULL, &it.reaper));
  OK(put(rows, "a", "1", mayfly_for(TTL)));
  clock_now += TTL;
  OK(mayfly_await_idle(it.reaper));
  THAT(it.told == 1);
  MAYFLY_CHECK_CODE(it.idle, MAYFLY_INVALID);
  MAYFLY_CHECK_CODE(it.stopped, MAYFLY_INVALID);
  MAYFLY_CHECK_CODE(it.closed, MAYFLY_BUSY);
  OK(mayfly_stop_reaper(it.reaper));
  mayfly_unsubscribe(subscription);
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
}

int main(void) {
  purge_reaper_events();
  an_event_function_does_not_wait_for_its_own_thread();
  files_clock_backup();
  encryption();
  return c_test_outcome();
}
