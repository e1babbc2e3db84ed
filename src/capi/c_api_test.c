/* c.h from plain C: rows, keyspaces, transactions and walks, on a clock that the test moves.
 * Upkeep: c_upkeep_test.c. Bad input: c_bad_input_test.c. */
#include "capi/testing/c_home.h"
#include "mayfly/c.h"

static void rows_and_lifetimes(void) {
  mayfly_database* db = open_memory();
  mayfly_keyspace* keyspace = default_of(db);
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  bool flag = true;
  int64_t ms = 0;
  uint64_t count = 0;
  void* value = NULL;
  size_t size = 0;

  THAT(rows != NULL && rows == mayfly_keyspace_view(keyspace));
  OK(put(rows, "a", "1", mayfly_by_default()));
  OK(put(rows, "b", "2", mayfly_for(TTL)));
  OK(put(rows, "c", "", mayfly_until(clock_now + TTL)));
  THAT(has(rows, "a", "1") && has(rows, "c", "") && has(rows, "d", NULL));
  OK(mayfly_ttl(rows, "a", 1, &ms));
  THAT(ms == MAYFLY_FOREVER);
  OK(mayfly_ttl(rows, "b", 1, &ms));
  THAT(ms == TTL);
  OK(mayfly_get_row(rows, "b", 1, &value, &size, &ms));
  THAT(size == 1 && ms == clock_now + TTL);
  mayfly_free(value);
  OK(put(rows, "b", "3", mayfly_keep()));
  OK(mayfly_count(rows, &count));
  THAT(count == 3);

  mayfly_bytes none = {NULL, 0};
  OK(mayfly_put_if(rows, "a", 1, "x", 1, mayfly_forever(), MAYFLY_PUT_IF_ABSENT, none, &flag));
  THAT(!flag);
  mayfly_bytes one = {"1", 1};
  OK(mayfly_put_if(rows, "a", 1, "x", 1, mayfly_forever(), MAYFLY_PUT_IF_EQUALS, one, &flag));
  THAT(flag && has(rows, "a", "x"));
  OK(mayfly_put_if(rows, "e", 1, "x", 1, mayfly_forever(), MAYFLY_PUT_IF_PRESENT, none, &flag));
  THAT(!flag);

  OK(mayfly_expire(rows, "b", 1, mayfly_for(2 * TTL), MAYFLY_DEADLINE_IF_EARLIER, &flag));
  THAT(!flag);
  OK(mayfly_expire(rows, "b", 1, mayfly_for(2 * TTL), MAYFLY_DEADLINE_IF_LATER, NULL));
  OK(mayfly_persist(rows, "a", 1, &flag));
  THAT(!flag);
  OK(mayfly_touch(rows, "c", 1, mayfly_for(3 * TTL), &value, &size, &ms));
  THAT(size == 0 && value != NULL && ms == clock_now + 3 * TTL);
  mayfly_free(value);
  OK(mayfly_touch(rows, "c", 1, mayfly_for(3 * TTL), NULL, NULL, NULL));

  mayfly_bytes keys[] = {
      {"a",    1},
      {"none", 4},
      {"",     0},
      {"b",    1}
  };
  mayfly_answer* answers = NULL;
  OK(mayfly_multi_get(rows, keys, 4, &answers));
  THAT(answers[0].code == MAYFLY_OK && strcmp(answers[0].value, "x") == 0);
  THAT(answers[1].code == MAYFLY_NOT_FOUND && answers[1].value == NULL);
  THAT(answers[2].code == MAYFLY_INVALID);
  THAT(answers[3].code == MAYFLY_OK && answers[3].value_size == 1);
  mayfly_free(answers);
  OK(mayfly_multi_get(rows, NULL, 0, &answers));
  mayfly_free(answers);

  clock_now += 2 * TTL - 1;
  THAT(has(rows, "b", "3"));
  clock_now += 1;
  THAT(has(rows, "b", NULL));
  OK(mayfly_exists(rows, "c", 1, &flag));
  THAT(flag);
  OK(mayfly_delete(rows, "c", 1, &flag));
  THAT(flag);
  OK(mayfly_delete(rows, "c", 1, &flag));
  THAT(!flag);
  MAYFLY_CHECK_CODE(mayfly_persist(rows, "c", 1, NULL), MAYFLY_NOT_FOUND);
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
}

/* Appends a '+', deletes what has three, leaves what is "keep". */
static int grow(void* context, const void* old, size_t old_size, const void** fresh,
                size_t* fresh_size) {
  char* const buffer = context;
  if (old != NULL && old_size == 4 && memcmp(old, "keep", 4) == 0) return MAYFLY_UPDATE_LEAVE;
  if (old_size == 3) return MAYFLY_UPDATE_DELETE;
  if (old_size > 0) memcpy(buffer, old, old_size);
  buffer[old_size] = '+';
  *fresh = buffer;
  *fresh_size = old_size + 1;
  return MAYFLY_UPDATE_PUT;
}

static void updates(void) {
  mayfly_database* db = open_memory();
  mayfly_keyspace* keyspace = default_of(db);
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  char buffer[8];
  int64_t ms = 0;
  OK(mayfly_update(rows, "k", 1, grow, buffer, mayfly_for(TTL)));
  OK(mayfly_update(rows, "k", 1, grow, buffer, mayfly_keep()));
  THAT(has(rows, "k", "++"));
  OK(mayfly_ttl(rows, "k", 1, &ms));
  THAT(ms == TTL);
  OK(mayfly_update(rows, "k", 1, grow, buffer, mayfly_keep()));
  OK(mayfly_update(rows, "k", 1, grow, buffer, mayfly_keep()));
  THAT(has(rows, "k", NULL));
  OK(put(rows, "k", "keep", mayfly_forever()));
  OK(mayfly_update(rows, "k", 1, grow, buffer, mayfly_for(TTL)));
  OK(mayfly_ttl(rows, "k", 1, &ms));
  THAT(ms == MAYFLY_FOREVER && has(rows, "k", "keep"));
  OK(put(rows, "k", "free again", mayfly_forever())); /* The latch was let go. */
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
}

static void keyspaces_and_policies(void) {
  mayfly_database* db = open_memory();
  mayfly_keyspace* sessions = NULL;
  mayfly_keyspace* again = NULL;
  mayfly_policy policy = {.size = sizeof policy, .default_ttl_ms = TTL, .max_ttl_ms = 10 * TTL};
  char** names = NULL;
  size_t count = 0;
  int64_t ms = 0;
  OK(mayfly_create_keyspace(db, "sessions", &policy, &sessions));
  THAT(strcmp(mayfly_keyspace_name(sessions), "sessions") == 0);
  OK(mayfly_open_keyspace(db, "sessions", &again));
  OK(put(mayfly_keyspace_view(sessions), "k", "v", mayfly_by_default()));
  OK(mayfly_ttl(mayfly_keyspace_view(again), "k", 1, &ms));
  THAT(ms == TTL);
  MAYFLY_CHECK_CODE(put(mayfly_keyspace_view(again), "k", "v", mayfly_for(11 * TTL)),
                    MAYFLY_INVALID);
  mayfly_release_keyspace(again);
  MAYFLY_CHECK_CODE(mayfly_open_keyspace(db, "none", &again), MAYFLY_NOT_FOUND);
  THAT(again == NULL);
  OK(mayfly_list_keyspaces(db, &names, &count));
  THAT(count == 2 && strcmp(names[0], "default") == 0 && strcmp(names[1], "sessions") == 0);
  mayfly_free(names);
  policy.events = MAYFLY_EVENTS_KEY;
  policy.jitter_permille = 100;
  OK(mayfly_set_policy(sessions, &policy));
  mayfly_policy read = {.size = sizeof read};
  OK(mayfly_get_policy(sessions, &read));
  THAT(read.default_ttl_ms == TTL && read.max_ttl_ms == 10 * TTL && read.min_ttl_ms == 0);
  THAT(read.events == MAYFLY_EVENTS_KEY && read.jitter_permille == 100 && !read.require_ttl);
  mayfly_policy old = {.size = offsetof(mayfly_policy, max_ttl_ms), .max_ttl_ms = 77};
  OK(mayfly_get_policy(sessions, &old)); /* A caller that knows less gets less. */
  THAT(old.default_ttl_ms == TTL && old.max_ttl_ms == 77);
  OK(mayfly_clear(sessions));
  THAT(has(mayfly_keyspace_view(sessions), "k", NULL));
  OK(mayfly_drop_keyspace(db, "sessions"));
  MAYFLY_CHECK_CODE(put(mayfly_keyspace_view(sessions), "k", "v", mayfly_forever()),
                    MAYFLY_INVALID);
  MAYFLY_CHECK_CODE(mayfly_drop_keyspace(db, "sessions"), MAYFLY_NOT_FOUND);
  mayfly_release_keyspace(sessions);
  mayfly_release_keyspace(again);
  OK(mayfly_close(db));
}

static void transactions_and_snapshots(void) {
  mayfly_database* db = open_memory();
  mayfly_keyspace* keyspace = default_of(db);
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  mayfly_transaction* transaction = NULL;
  mayfly_snapshot* snapshot = NULL;
  mayfly_view* inside = NULL;
  mayfly_view* frozen = NULL;
  int64_t ms = 0;
  OK(put(rows, "a", "old", mayfly_for(TTL)));
  OK(mayfly_take_snapshot(db, &snapshot));
  OK(mayfly_snapshot_view(snapshot, keyspace, &frozen));
  OK(mayfly_begin(db, &transaction));
  OK(mayfly_transaction_view(transaction, keyspace, &inside));
  OK(put(inside, "a", "new", mayfly_forever()));
  OK(mayfly_set_savepoint(transaction));
  OK(put(inside, "b", "undone", mayfly_forever()));
  OK(mayfly_rollback_to_savepoint(transaction));
  MAYFLY_CHECK_CODE(mayfly_rollback_to_savepoint(transaction), MAYFLY_INVALID);
  THAT(has(inside, "a", "new") && has(inside, "b", NULL) && has(rows, "a", "old"));

  mayfly_cursor* cursor = NULL;
  OK(mayfly_open_cursor(inside, NULL, &cursor));
  MAYFLY_CHECK_CODE(mayfly_commit(transaction, MAYFLY_DURABILITY_DEFAULT), MAYFLY_BUSY);
  mayfly_close_cursor(cursor);
  clock_now += TTL;
  THAT(has(frozen, "a", "old")); /* What it saw alive stays alive for it. */
  OK(mayfly_transaction_now(transaction, &ms));
  THAT(ms == clock_now - TTL);
  OK(mayfly_snapshot_now(snapshot, &ms));
  THAT(ms == clock_now - TTL);
  OK(mayfly_commit(transaction, MAYFLY_DURABILITY_DISK));
  MAYFLY_CHECK_CODE(mayfly_commit(transaction, MAYFLY_DURABILITY_DEFAULT), MAYFLY_INVALID);
  MAYFLY_CHECK_CODE(put(inside, "b", "late", mayfly_forever()), MAYFLY_INVALID);
  THAT(has(rows, "a", "new") && has(frozen, "a", "old"));
  MAYFLY_CHECK_CODE(put(frozen, "a", "x", mayfly_forever()), MAYFLY_INVALID);
  mayfly_release_transaction(transaction);

  OK(mayfly_begin(db, &transaction));
  OK(mayfly_transaction_view(transaction, keyspace, &inside));
  THAT(has(inside, "a", "new"));
  OK(put(rows, "a", "meanwhile", mayfly_forever()));
  OK(put(inside, "c", "mine", mayfly_forever()));
  MAYFLY_CHECK_CODE(mayfly_commit(transaction, MAYFLY_DURABILITY_DEFAULT), MAYFLY_CONFLICT);
  THAT(strstr(mayfly_error_message(), "'a'") != NULL && has(rows, "c", NULL));
  mayfly_release_transaction(transaction);

  OK(mayfly_begin(db, &transaction));
  OK(mayfly_transaction_view(transaction, keyspace, &inside));
  OK(put(inside, "c", "mine", mayfly_forever()));
  OK(mayfly_open_cursor(inside, NULL, &cursor));
  mayfly_release_transaction(transaction); /* The cursor keeps it until it closes. */
  OK(mayfly_seek_last(cursor));
  THAT(mayfly_cursor_valid(cursor));
  MAYFLY_CHECK_CODE(mayfly_close(db), MAYFLY_BUSY);
  mayfly_close_cursor(cursor);
  THAT(has(rows, "c", NULL));
  MAYFLY_CHECK_CODE(mayfly_close(db), MAYFLY_BUSY); /* The snapshot. */
  mayfly_release_snapshot(snapshot);
  OK(mayfly_close(db));
  MAYFLY_CHECK_CODE(put(rows, "late", "v", mayfly_forever()), MAYFLY_INVALID);
  mayfly_release_keyspace(keyspace);
}

static void cursors_and_deadlines(void) {
  mayfly_database* db = open_memory();
  mayfly_keyspace* keyspace = default_of(db);
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  mayfly_cursor* cursor = NULL;
  mayfly_bytes key;
  mayfly_bytes value;
  int64_t ms = 0;
  char text[4] = "k0";
  for (int i = 0; i < 5; ++i) {
    text[1] = (char)('0' + i);
    OK(put(rows, text, "v", i == 4 ? mayfly_forever() : mayfly_for(TTL * (4 - i))));
  }
  mayfly_cursor_options options = {
      .size = sizeof options, .prefix = {"k",  1},
            .end = {"k4", 2}
  };
  OK(mayfly_open_cursor(rows, &options, &cursor));
  THAT(!mayfly_cursor_valid(cursor));
  int seen = 0;
  for (OK(mayfly_seek_first(cursor)); mayfly_cursor_valid(cursor); OK(mayfly_next(cursor))) {
    OK(mayfly_cursor_row(cursor, &key, &value, &ms));
    THAT(key.size == 2 && ((const char*)key.data)[1] == '0' + seen && value.size == 1);
    THAT(ms == clock_now + TTL * (4 - seen));
    ++seen;
  }
  THAT(seen == 4);
  MAYFLY_CHECK_CODE(mayfly_next(cursor), MAYFLY_INVALID);
  MAYFLY_CHECK_CODE(mayfly_cursor_row(cursor, &key, NULL, NULL), MAYFLY_INVALID);
  OK(mayfly_seek_at_or_before(cursor, "k2x", 3));
  OK(mayfly_previous(cursor));
  OK(mayfly_cursor_row(cursor, &key, NULL, NULL));
  THAT(memcmp(key.data, "k1", 2) == 0);
  OK(mayfly_seek_at_or_after(cursor, "k3", 2));
  OK(mayfly_cursor_row(cursor, &key, NULL, NULL));
  THAT(memcmp(key.data, "k3", 2) == 0);
  OK(mayfly_seek_last(cursor));
  mayfly_close_cursor(cursor);
  options = (mayfly_cursor_options){.size = sizeof options, .filter = MAYFLY_ROWS_IMMORTAL};
  OK(mayfly_open_cursor(rows, &options, &cursor));
  OK(mayfly_seek_first(cursor));
  OK(mayfly_cursor_row(cursor, &key, NULL, &ms));
  THAT(memcmp(key.data, "k4", 2) == 0 && ms == MAYFLY_FOREVER);
  mayfly_close_cursor(cursor);

  mayfly_deadline_window window = {.size = sizeof window, .rows_max = 3};
  mayfly_deadline_entry* page = NULL;
  mayfly_deadline_entry* rest = NULL;
  size_t count = 0;
  OK(mayfly_scan_deadlines(rows, &window, &page, &count));
  THAT(count == 3 && memcmp(page[0].key, "k3", 2) == 0 && page[0].deadline_ms == clock_now + TTL);
  window.after = &page[2];
  OK(mayfly_scan_deadlines(rows, &window, &rest, &count));
  THAT(count == 1 && rest[0].key_size == 2 && memcmp(rest[0].key, "k0", 2) == 0);
  mayfly_free(page);
  mayfly_free(rest);
  OK(mayfly_scan_deadlines(rows, NULL, &page, &count));
  THAT(count == 4);
  mayfly_free(page);

  mayfly_forecast_options asked = {.size = sizeof asked, .bucket_ms = 2 * TTL, .buckets = 3};
  mayfly_forecast_bucket* buckets = NULL;
  OK(mayfly_forecast(rows, &asked, &buckets, &count));
  THAT(count == 3 && buckets[0].rows == 1 && buckets[1].rows == 2 && buckets[2].rows == 1);
  THAT(buckets[0].bytes == 3 && buckets[0].begin_ms == clock_now);
  mayfly_free(buckets);
  mayfly_release_keyspace(keyspace);
  OK(mayfly_close(db));
}

int main(void) {
  THAT(strcmp(mayfly_error_message(), "") == 0);
  THAT(strcmp(mayfly_code_name(MAYFLY_NOT_FOUND), "NotFound") == 0);
  THAT(strcmp(mayfly_code_name(99), "unknown") == 0 && mayfly_version()[0] != '\0');
  rows_and_lifetimes();
  updates();
  keyspaces_and_policies();
  transactions_and_snapshots();
  cursors_and_deadlines();
  return c_test_outcome();
}
