/* c.h: every null, empty, oversize, unknown or foreign argument has its code and words, and nothing
 * is written. */
#include "capi/testing/c_test.h"
#include "mayfly/c.h"

#define OK(call) MAYFLY_CHECK_CODE(call, MAYFLY_OK)
#define THAT(condition) MAYFLY_CHECK_THAT(condition)

static mayfly_database* db;
static mayfly_database* other;
static mayfly_keyspace* keyspace;
static mayfly_keyspace* foreign; /* Of `other`. */
static mayfly_view* rows;

/* Refused, with words that name the matter. */
#define REFUSED(call, word)                             \
  do {                                                  \
    MAYFLY_CHECK_CODE(call, MAYFLY_INVALID);            \
    THAT(strstr(mayfly_error_message(), word) != NULL); \
  } while (0)

static int leave(void* context, const void* old, size_t old_size, const void** fresh,
                 size_t* fresh_size) {
  (void)context, (void)old, (void)old_size, (void)fresh, (void)fresh_size;
  return MAYFLY_UPDATE_LEAVE;
}
static int return_99(void* context, const void* old, size_t old_size, const void** fresh,
                     size_t* fresh_size) {
  (void)context, (void)old, (void)old_size;
  *fresh = "fresh", *fresh_size = 5;
  return 99;
}
static int put_null(void* context, const void* old, size_t old_size, const void** fresh,
                    size_t* fresh_size) {
  (void)context, (void)old, (void)old_size;
  *fresh = NULL, *fresh_size = 5;
  return MAYFLY_UPDATE_PUT;
}
static int put_of_size(void* context, const void* old, size_t old_size, const void** fresh,
                       size_t* fresh_size) {
  (void)old, (void)old_size;
  *fresh = "fresh", *fresh_size = *(size_t*)context;
  return MAYFLY_UPDATE_PUT;
}
static void ignore(void* context, const mayfly_event* event) { (void)context, (void)event; }

static void nulls_for_databases(void) {
  mayfly_database* opened = NULL;
  mayfly_keyspace* found = (mayfly_keyspace*)&opened;
  char** names = NULL;
  size_t count = 0;
  REFUSED(mayfly_open(NULL, NULL), "null");
  REFUSED(mayfly_sync(NULL, 0), "database");
  REFUSED(mayfly_default_keyspace(NULL, &found), "database");
  THAT(found == NULL);
  REFUSED(mayfly_default_keyspace(db, NULL), "keyspace");
  REFUSED(mayfly_create_keyspace(db, NULL, NULL, &found), "name");
  REFUSED(mayfly_create_keyspace(NULL, "x", NULL, &found), "database");
  REFUSED(mayfly_open_keyspace(db, NULL, &found), "name");
  REFUSED(mayfly_list_keyspaces(NULL, &names, &count), "database");
  REFUSED(mayfly_list_keyspaces(db, NULL, &count), "names");
  REFUSED(mayfly_list_keyspaces(db, &names, NULL), "count");
  REFUSED(mayfly_drop_keyspace(NULL, "x"), "database");
  REFUSED(mayfly_drop_keyspace(db, NULL), "name");
  REFUSED(mayfly_drop_keyspace(db, "default"), "default");
  REFUSED(mayfly_clear(NULL), "keyspace");
  REFUSED(mayfly_set_policy(keyspace, NULL), "policy");
  REFUSED(mayfly_get_policy(keyspace, NULL), "policy");
  THAT(strcmp(mayfly_keyspace_name(NULL), "") == 0 && mayfly_keyspace_view(NULL) == NULL);
  OK(mayfly_close(NULL));
  mayfly_release_keyspace(NULL);
  mayfly_release_transaction(NULL);
  mayfly_release_snapshot(NULL);
  mayfly_close_cursor(NULL);
  MAYFLY_CHECK_CODE(mayfly_stop_reaper(NULL), MAYFLY_OK);
  mayfly_unsubscribe(NULL);
  mayfly_free(NULL);
}

static void bad_options(void) {
  mayfly_database* opened = (mayfly_database*)&db;
  mayfly_database_options options = {.size = 0};
  REFUSED(mayfly_open(&options, &opened), "size");
  THAT(opened == NULL);
  options = (mayfly_database_options){.size = sizeof options, .memory = 9};
  REFUSED(mayfly_open(&options, &opened), "memory");
  options = (mayfly_database_options){.size = sizeof options, .durability = 9};
  REFUSED(mayfly_open(&options, &opened), "durability");
  options = (mayfly_database_options){.size = sizeof options, .clock_jump_max_ms = -1};
  REFUSED(mayfly_open(&options, &opened), "clock_jump_max_ms");
  options = (mayfly_database_options){.size = sizeof options, .read_only = true};
  REFUSED(mayfly_open(&options, &opened), "memory");
  options = (mayfly_database_options){.size = sizeof options, .password_size = 3};
  REFUSED(mayfly_open(&options, &opened), "password");
  mayfly_clock clock = {.size = sizeof clock};
  options = (mayfly_database_options){.size = sizeof options, .clock = &clock};
  REFUSED(mayfly_open(&options, &opened), "now_ms");
  REFUSED(mayfly_sync(db, 9), "durability");

  /* A caller from the future: fine as long as it asks for nothing new. */
  struct {
    mayfly_policy known;
    int64_t news;
  } future = {
      {.size = sizeof future, .default_ttl_ms = 5},
      0
  };
  OK(mayfly_set_policy(keyspace, &future.known));
  future.news = 1;
  MAYFLY_CHECK_CODE(mayfly_set_policy(keyspace, &future.known), MAYFLY_UNSUPPORTED);
  OK(mayfly_get_policy(keyspace, &future.known));
  THAT(future.known.default_ttl_ms == 5 && future.news == 0);
  mayfly_policy policy = {.size = sizeof policy, .breach = 7};
  REFUSED(mayfly_set_policy(keyspace, &policy), "breach");
  policy = (mayfly_policy){.size = sizeof policy, .events = 7};
  REFUSED(mayfly_set_policy(keyspace, &policy), "events");
  policy = (mayfly_policy){.size = sizeof policy, .min_ttl_ms = -5};
  REFUSED(mayfly_set_policy(keyspace, &policy), "positive");
  policy = (mayfly_policy){.size = sizeof policy, .default_ttl_ms = INT64_MAX};
  REFUSED(mayfly_set_policy(keyspace, &policy), "last instant");
  policy = (mayfly_policy){.size = 3};
  REFUSED(mayfly_set_policy(keyspace, &policy), "size");
  policy = (mayfly_policy){.size = sizeof policy};
  OK(mayfly_set_policy(keyspace, &policy));

  mayfly_keyspace* made = NULL;
  char name[300];
  memset(name, 'x', sizeof name);
  name[256] = '\0';
  REFUSED(mayfly_create_keyspace(db, name, NULL, &made), "255");
  REFUSED(mayfly_create_keyspace(db, "", NULL, &made), "name");
  REFUSED(mayfly_create_keyspace(db, "__x", NULL, &made), "underscores");
  REFUSED(mayfly_create_keyspace(db, "default", NULL, &made), "exists");
  THAT(made == NULL);
}

static void bad_rows(void) {
  void* value = &db;
  size_t size = 7;
  int64_t ms = 7;
  uint64_t count = 7;
  bool flag = false;
  mayfly_answer* answers = NULL;
  const mayfly_bytes none = {NULL, 0};
  const mayfly_bytes broken = {NULL, 3};
  const size_t long_key = 65537;
  const size_t long_value = ((size_t)256 << 20) + 1;
  char* big = calloc(1, long_value);

  REFUSED(mayfly_put(NULL, "k", 1, "v", 1, mayfly_forever()), "view");
  REFUSED(mayfly_put(rows, NULL, 1, "v", 1, mayfly_forever()), "key");
  REFUSED(mayfly_put(rows, NULL, 0, "v", 1, mayfly_forever()), "key");
  REFUSED(mayfly_put(rows, "", 0, "v", 1, mayfly_forever()), "empty key");
  REFUSED(mayfly_put(rows, big, long_key, "v", 1, mayfly_forever()), "too long");
  REFUSED(mayfly_put(rows, "k", 1, NULL, 1, mayfly_forever()), "value");
  REFUSED(mayfly_put(rows, "k", 1, big, long_value, mayfly_forever()), "too large");
  REFUSED(mayfly_put(rows, "k", 1, "v", 1, mayfly_for(0)), "positive");
  REFUSED(mayfly_put(rows, "k", 1, "v", 1, mayfly_for(-1)), "positive");
  REFUSED(mayfly_put(rows, "k", 1, "v", 1, mayfly_for(INT64_MAX)), "last instant");
  REFUSED(mayfly_put(rows, "k", 1, "v", 1, mayfly_until(1700000000)), "seconds");
  REFUSED(mayfly_put(rows, "k", 1, "v", 1, mayfly_lifetime_of(9, 0)), "lifetime");
  REFUSED(mayfly_put_if(rows, "k", 1, "v", 1, mayfly_forever(), 9, none, &flag), "condition");
  REFUSED(
      mayfly_put_if(rows, "k", 1, "v", 1, mayfly_forever(), MAYFLY_PUT_IF_EQUALS, broken, &flag),
      "expected");
  REFUSED(mayfly_put_if(rows, "k", 1, "v", 1, mayfly_forever(), 0, none, NULL), "answer");
  REFUSED(mayfly_delete(NULL, "k", 1, NULL), "view");
  REFUSED(mayfly_delete(rows, NULL, 1, NULL), "key");
  REFUSED(mayfly_update(rows, "k", 1, NULL, NULL, mayfly_keep()), "update function");
  REFUSED(mayfly_update(NULL, "k", 1, leave, NULL, mayfly_keep()), "view");
  REFUSED(mayfly_update(rows, "k", 1, return_99, NULL, mayfly_keep()), "MAYFLY_UPDATE_");
  REFUSED(mayfly_update(rows, "k", 1, put_null, NULL, mayfly_keep()), "new value is null");
  const size_t too_large[] = {((size_t)256 << 20) + 1, (size_t)1 << 60, SIZE_MAX};
  for (size_t i = 0; i < 3; ++i) {
    REFUSED(mayfly_update(rows, "k", 1, put_of_size, (void*)&too_large[i], mayfly_keep()),
            "too large");
  }
  REFUSED(mayfly_expire(rows, "k", 1, mayfly_keep(), 0, NULL), "keeping");
  REFUSED(mayfly_expire(rows, "k", 1, mayfly_for(1), 9, NULL), "condition");
  REFUSED(mayfly_persist(rows, "", 0, NULL), "empty key");
  REFUSED(mayfly_touch(rows, NULL, 0, mayfly_for(1), NULL, NULL, NULL), "key");

  REFUSED(mayfly_get(NULL, "k", 1, &value, &size), "view");
  THAT(value == NULL && size == 0);
  REFUSED(mayfly_get(rows, NULL, 1, &value, &size), "key");
  REFUSED(mayfly_get(rows, "", 0, &value, &size), "empty key");
  REFUSED(mayfly_get(rows, "k", 1, NULL, &size), "value");
  REFUSED(mayfly_get(rows, "k", 1, &value, NULL), "size");
  REFUSED(mayfly_get_row(rows, "k", 1, &value, &size, NULL), "deadline");
  REFUSED(mayfly_exists(rows, "k", 1, NULL), "answer");
  REFUSED(mayfly_ttl(rows, "k", 1, NULL), "ttl");
  REFUSED(mayfly_count(NULL, &count), "view");
  REFUSED(mayfly_count(rows, NULL), "count");
  THAT(ms == 7 && count == 7);
  REFUSED(mayfly_multi_get(rows, NULL, 1, &answers), "keys");
  REFUSED(mayfly_multi_get(rows, &none, 1, &answers), "key");
  REFUSED(mayfly_multi_get(rows, &none, 0, NULL), "answers");
  REFUSED(mayfly_multi_get(rows, &none, SIZE_MAX, &answers), "too many");
  REFUSED(mayfly_multi_get(rows, &none, (size_t)1 << 40, &answers), "too many");
  const mayfly_bytes keys[] = {
      {big, long_key       },
      {big, (size_t)1 << 20},
      {"k", 1              }
  };
  OK(mayfly_multi_get(rows, keys, 3, &answers));
  THAT(answers[0].code == MAYFLY_INVALID && answers[1].code == MAYFLY_INVALID);
  THAT(answers[2].code == MAYFLY_NOT_FOUND);
  mayfly_free(answers);
  free(big);
}

static void bad_walks(void) {
  mayfly_cursor* cursor = (mayfly_cursor*)&db;
  mayfly_deadline_entry* entries = NULL;
  mayfly_forecast_bucket* buckets = NULL;
  size_t count = 0;
  REFUSED(mayfly_open_cursor(NULL, NULL, &cursor), "view");
  THAT(cursor == NULL);
  REFUSED(mayfly_open_cursor(rows, NULL, NULL), "cursor");
  mayfly_cursor_options options = {
      .size = sizeof options, .prefix = {NULL, 1}
  };
  REFUSED(mayfly_open_cursor(rows, &options, &cursor), "prefix");
  options = (mayfly_cursor_options){.size = sizeof options, .filter = 9};
  REFUSED(mayfly_open_cursor(rows, &options, &cursor), "filter");
  options = (mayfly_cursor_options){
      .size = sizeof options, .begin = {"b", 1},
            .end = {"a", 1}
  };
  REFUSED(mayfly_open_cursor(rows, &options, &cursor), "reversed");
  THAT(cursor == NULL && !mayfly_cursor_valid(NULL));
  REFUSED(mayfly_seek_first(NULL), "cursor");
  REFUSED(mayfly_cursor_row(NULL, NULL, NULL, NULL), "cursor");
  OK(mayfly_open_cursor(rows, NULL, &cursor));
  REFUSED(mayfly_next(cursor), "seek");
  REFUSED(mayfly_previous(cursor), "seek");
  REFUSED(mayfly_seek_at_or_after(cursor, NULL, 2), "key");
  mayfly_close_cursor(cursor);

  REFUSED(mayfly_scan_deadlines(NULL, NULL, &entries, &count), "view");
  REFUSED(mayfly_scan_deadlines(rows, NULL, NULL, &count), "entries");
  mayfly_deadline_window window = {.size = sizeof window, .begin_ms = 2, .end_ms = 1};
  REFUSED(mayfly_scan_deadlines(rows, &window, &entries, &count), "reversed");
  mayfly_deadline_entry after = {"k", 1, -1};
  window = (mayfly_deadline_window){.size = sizeof window, .after = &after};
  REFUSED(mayfly_scan_deadlines(rows, &window, &entries, &count), "1970");
  after.key = NULL;
  REFUSED(mayfly_scan_deadlines(rows, &window, &entries, &count), "key");
  mayfly_forecast_options forecast = {.size = sizeof forecast, .buckets = 10001};
  REFUSED(mayfly_forecast(rows, &forecast, &buckets, &count), "buckets");
  forecast = (mayfly_forecast_options){.size = sizeof forecast, .bucket_ms = -1};
  REFUSED(mayfly_forecast(rows, &forecast, &buckets, &count), "buckets");
  THAT(entries == NULL && buckets == NULL && count == 0);
}

static void bad_transactions(void) {
  mayfly_transaction* transaction = NULL;
  mayfly_snapshot* snapshot = NULL;
  mayfly_view* view = rows;
  int64_t ms = 0;
  REFUSED(mayfly_begin(NULL, &transaction), "database");
  REFUSED(mayfly_begin(db, NULL), "transaction");
  REFUSED(mayfly_commit(NULL, 0), "transaction");
  REFUSED(mayfly_rollback(NULL), "transaction");
  REFUSED(mayfly_set_savepoint(NULL), "transaction");
  REFUSED(mayfly_transaction_now(NULL, &ms), "transaction");
  REFUSED(mayfly_take_snapshot(NULL, &snapshot), "database");
  REFUSED(mayfly_snapshot_now(NULL, &ms), "snapshot");
  OK(mayfly_begin(db, &transaction));
  REFUSED(mayfly_transaction_view(transaction, foreign, &view), "another database");
  THAT(view == NULL);
  REFUSED(mayfly_transaction_view(transaction, NULL, &view), "keyspace");
  REFUSED(mayfly_commit(transaction, 9), "durability");
  OK(mayfly_rollback(transaction)); /* The refused commit did not end it. */
  REFUSED(mayfly_rollback(transaction), "over");
  REFUSED(mayfly_transaction_view(transaction, keyspace, &view), "over");
  mayfly_release_transaction(transaction);
  OK(mayfly_take_snapshot(db, &snapshot));
  REFUSED(mayfly_snapshot_view(snapshot, foreign, &view), "another database");
  OK(mayfly_snapshot_view(snapshot, keyspace, &view));
  REFUSED(mayfly_put(view, "k", 1, "v", 1, mayfly_forever()), "snapshot");
  REFUSED(mayfly_delete(view, "k", 1, NULL), "snapshot");
  mayfly_release_snapshot(snapshot);
}

static void bad_upkeep(void) {
  mayfly_purge_options purge = {.size = sizeof purge, .keyspace = foreign};
  mayfly_purge_report purged = {.size = 0};
  mayfly_reaper* reaper = NULL;
  mayfly_subscription* subscription = NULL;
  mayfly_event* events = NULL;
  mayfly_event_with_member* full_events = NULL;
  uint64_t sequence = 0;
  mayfly_check_report check = {.size = sizeof check};
  mayfly_statistics statistics = {.size = sizeof statistics};
  mayfly_clock_report clock = {.size = 0};
  mayfly_restore_options restore = {.size = sizeof restore, .mode = 9};
  char** findings = NULL;
  size_t count = 0;
  REFUSED(mayfly_purge(db, &purge, NULL), "another database");
  purge = (mayfly_purge_options){.size = sizeof purge, .time_max_ms = -1};
  REFUSED(mayfly_purge(db, &purge, NULL), "bound");
  REFUSED(mayfly_purge(db, NULL, &purged), "size");
  REFUSED(mayfly_purge(NULL, NULL, NULL), "database");
  REFUSED(mayfly_start_reaper(NULL, NULL, &reaper), "database");
  REFUSED(mayfly_start_reaper(db, NULL, NULL), "reaper");
  REFUSED(mayfly_await_idle(NULL), "reaper");
  REFUSED(mayfly_read_events(NULL, 0, 1, &events, &count), "database");
  REFUSED(mayfly_read_events(db, 0, 1, NULL, &count), "events");
  REFUSED(mayfly_read_events_with_members(NULL, 0, 1, &full_events, &count), "database");
  REFUSED(mayfly_read_events_with_members(db, 0, 1, &full_events, NULL), "count");
  REFUSED(mayfly_last_event_sequence(NULL, &sequence), "database");
  REFUSED(mayfly_last_event_sequence(db, NULL), "sequence");
  REFUSED(mayfly_subscribe_with_members(db, NULL, NULL, &subscription), "event function");
  REFUSED(mayfly_trim_events(db, NULL, NULL), "trim");
  REFUSED(mayfly_subscribe(db, NULL, NULL, &subscription), "event function");
  REFUSED(mayfly_subscribe(NULL, ignore, NULL, &subscription), "database");
  REFUSED(mayfly_get_clock_report(db, &clock), "size");
  REFUSED(mayfly_get_clock_report(db, NULL), "report");
  REFUSED(mayfly_confirm_clock(NULL), "database");
  REFUSED(mayfly_check(db, NULL, NULL, NULL, NULL), "report");
  REFUSED(mayfly_check(db, NULL, &check, &findings, NULL), "both or neither");
  REFUSED(mayfly_get_statistics(db, NULL, NULL, NULL), "statistics");
  REFUSED(mayfly_get_statistics(db, &statistics, NULL, &count), "both or neither");
  REFUSED(mayfly_backup(db, NULL, NULL), "file");
  REFUSED(mayfly_backup(db, "", NULL), "name one");
  REFUSED(mayfly_backup(NULL, "x", NULL), "database");
  REFUSED(mayfly_restore(db, NULL, NULL, NULL), "file");
  REFUSED(mayfly_restore(db, "x", &restore, NULL), "mode");
}

int main(void) {
  uint64_t count = 7;
  OK(mayfly_open(NULL, &db));
  OK(mayfly_open(NULL, &other));
  OK(mayfly_default_keyspace(db, &keyspace));
  OK(mayfly_default_keyspace(other, &foreign));
  rows = mayfly_keyspace_view(keyspace);
  nulls_for_databases();
  bad_options();
  bad_rows();
  bad_walks();
  bad_transactions();
  bad_upkeep();
  OK(mayfly_count(rows, &count));
  THAT(count == 0); /* Nothing was written by anything above. */
  mayfly_release_keyspace(keyspace);
  mayfly_release_keyspace(foreign);
  OK(mayfly_close(db));
  OK(mayfly_close(other));
  return c_test_outcome();
}
