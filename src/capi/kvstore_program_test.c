/* A program of kvstore.h in plain C, as its users write them: on the machine's clock, with the
 * header by its bare name. Sessions in a file, families, iterators, transactions, codes, null
 * handles, use after errors. */
#include <kvstore.h>
#include <stdint.h>

#include "capi/testing/c_test.h"

#define OK(call) MAYFLY_CHECK_CODE(call, KVSTORE_OK)
#define FAILS(call) MAYFLY_CHECK_CODE(call, KVSTORE_ERROR)
#define THAT(condition) MAYFLY_CHECK_THAT(condition)

static char path[128];

static int length(const char* text) { return (int)strlen(text); }

static int put(KVStore* kv, const char* key, const char* value) {
  return kvstore_put(kv, key, length(key), value, length(value));
}

static void sessions(void) {
  KVStore* kv = NULL;
  void* value = NULL;
  int size = 0;
  int64_t left = 0;
  remove(path); /* To start afresh. */
  OK(kvstore_open(path, &kv, KVSTORE_JOURNAL_WAL));
  const int64_t now = kvstore_now_ms();
  THAT(now > 1700000000000);
  OK(kvstore_put_ttl(kv, "session:1", 9, "alice", 5, now + 3600000));
  OK(kvstore_put_ttl(kv, "session:2", 9, "bob", 3, now - 1));
  OK(kvstore_get_ttl(kv, "session:1", 9, &value, &size, &left));
  THAT(size == 5 && memcmp(value, "alice", 5) == 0 && left > 0 && left <= 3600000);
  snkv_free(value);
  MAYFLY_CHECK_CODE(kvstore_get(kv, "session:2", 9, &value, &size), KVSTORE_NOTFOUND);
  THAT(value == NULL && size == 0);
  OK(put(kv, "session:1", "permanent"));
  OK(kvstore_ttl_remaining(kv, "session:1", 9, &left));
  THAT(left == KVSTORE_NO_TTL);
  OK(kvstore_sync(kv));
  OK(kvstore_close(kv));

  OK(kvstore_open_v2(path, &kv, NULL));
  OK(kvstore_get(kv, "session:1", 9, &value, &size));
  THAT(size == 9);
  sqlite3_free(value);
  THAT(SQLITE_BUSY == KVSTORE_BUSY && SQLITE_LOCKED == KVSTORE_LOCKED &&
       SQLITE_PROTOCOL == KVSTORE_PROTOCOL);
  OK(kvstore_close(kv));
  remove(path);
  OK(kvstore_open(path, &kv, KVSTORE_JOURNAL_DELETE));
  MAYFLY_CHECK_CODE(kvstore_get(kv, "session:1", 9, &value, &size), KVSTORE_NOTFOUND);
  int in_log = 7;
  int done = 7;
  OK(kvstore_checkpoint(kv, KVSTORE_CHECKPOINT_TRUNCATE, &in_log, &done));
  THAT(in_log == 0 && done == 0);
  OK(kvstore_incremental_vacuum(kv, 0));
  OK(kvstore_close(kv));
}

static void iterators(KVStore* kv) {
  static const char* const keys[] = {"user:1", "user:2", "user:3", "zebra", "ant"};
  KVIterator* it = NULL;
  void* key = NULL;
  void* value = NULL;
  int key_size = 0;
  int value_size = 0;
  int seen = 0;
  for (int i = 0; i < 5; ++i) OK(put(kv, keys[i], keys[i]));
  OK(kvstore_iterator_create(kv, &it));
  for (OK(kvstore_iterator_first(it)); !kvstore_iterator_eof(it); OK(kvstore_iterator_next(it))) {
    OK(kvstore_iterator_key(it, &key, &key_size));
    OK(kvstore_iterator_value(it, &value, &value_size));
    THAT(key_size == value_size && memcmp(key, value, (size_t)key_size) == 0);
    ++seen;
  }
  THAT(seen == 5);
  kvstore_iterator_close(it);
  OK(kvstore_prefix_iterator_create(kv, "user:", 5, &it));
  for (seen = 0; !kvstore_iterator_eof(it); ++seen) OK(kvstore_iterator_next(it));
  THAT(seen == 3);
  kvstore_iterator_close(it);
  OK(kvstore_reverse_prefix_iterator_create(kv, "user:", 5, &it));
  OK(kvstore_iterator_key(it, &key, &key_size));
  THAT(key_size == 6 && memcmp(key, "user:3", 6) == 0);
  OK(kvstore_iterator_prev(it));
  OK(kvstore_iterator_seek(it, "user:1x", 7));
  OK(kvstore_iterator_key(it, &key, &key_size));
  THAT(memcmp(key, "user:1", 6) == 0);
  kvstore_iterator_close(it);
  kvstore_iterator_close(NULL);

  /* Deleting what it stands on does not trouble an iterator. */
  OK(kvstore_begin(kv, 1));
  OK(kvstore_iterator_create(kv, &it));
  for (seen = 0; !kvstore_iterator_eof(it); ++seen) {
    OK(kvstore_iterator_key(it, &key, &key_size));
    OK(kvstore_delete(kv, key, key_size));
    OK(kvstore_iterator_next(it));
  }
  OK(kvstore_commit(kv));
  kvstore_iterator_close(it);
  int64_t count = 7;
  OK(kvstore_count(kv, &count));
  THAT(seen == 5 && count == 0);
}

static void families(KVStore* kv) {
  KVColumnFamily* cf = NULL;
  KVColumnFamily* twin = NULL;
  KVIterator* it = NULL;
  char** names = NULL;
  int count = 0;
  int64_t rows = 0;
  int flag = 7;
  void* value = NULL;
  int size = 0;
  OK(kvstore_cf_create(kv, "logs", &cf));
  FAILS(kvstore_cf_create(kv, "logs", &twin));
  THAT(twin == NULL && strstr(kvstore_errmsg(kv), "exists") != NULL);
  OK(kvstore_cf_open(kv, "logs", &twin));
  OK(kvstore_cf_put(cf, "k", 1, "v", 1));
  OK(kvstore_cf_get(twin, "k", 1, &value, &size));
  snkv_free(value);
  OK(kvstore_cf_put_if_absent(twin, "k", 1, "w", 1, 0, &flag));
  THAT(flag == 0);
  MAYFLY_CHECK_CODE(kvstore_get(kv, "k", 1, &value, &size), KVSTORE_NOTFOUND);
  OK(kvstore_cf_iterator_create(cf, &it));
  THAT(!kvstore_iterator_eof(it));
  kvstore_iterator_close(it);
  OK(kvstore_cf_reverse_iterator_create(cf, &it));
  OK(kvstore_iterator_last(it));
  kvstore_iterator_close(it);
  OK(kvstore_cf_prefix_iterator_create(cf, "x", 1, &it));
  THAT(kvstore_iterator_eof(it));
  kvstore_iterator_close(it);
  OK(kvstore_cf_reverse_prefix_iterator_create(cf, "k", 1, &it));
  THAT(!kvstore_iterator_eof(it));
  kvstore_iterator_close(it);
  OK(kvstore_cf_count(cf, &rows));
  THAT(rows == 1);
  OK(kvstore_cf_clear(cf));
  MAYFLY_CHECK_CODE(kvstore_cf_delete(cf, "k", 1), KVSTORE_NOTFOUND);
  OK(kvstore_cf_list(kv, &names, &count));
  THAT(count == 1 && strcmp(names[0], "logs") == 0);
  for (int i = 0; i < count; ++i) snkv_free(names[i]);
  snkv_free(names);
  OK(kvstore_cf_drop(kv, "logs"));
  FAILS(kvstore_cf_put(cf, "k", 1, "v", 1));
  kvstore_cf_close(cf);
  kvstore_cf_close(twin);
  kvstore_cf_close(NULL);
}

static void transactions(KVStore* kv) {
  int flag = 7;
  OK(kvstore_begin(kv, 1));
  OK(put(kv, "a", "1"));
  FAILS(kvstore_begin(kv, 1));
  FAILS(put(kv, "", "x")); /* A call that fails does not end it. */
  MAYFLY_CHECK_CODE(kvstore_checkpoint(kv, KVSTORE_CHECKPOINT_FULL, NULL, NULL), KVSTORE_BUSY);
  OK(kvstore_rollback(kv));
  OK(kvstore_exists(kv, "a", 1, &flag));
  THAT(flag == 0);
  FAILS(kvstore_commit(kv));
  OK(kvstore_begin(kv, 1));
  OK(put(kv, "a", "1"));
  OK(kvstore_commit(kv));
  OK(kvstore_exists(kv, "a", 1, &flag));
  THAT(flag == 1);
  OK(kvstore_delete(kv, "a", 1));
}

/* Everything that is null, empty or too large. */
static void bad_calls(KVStore* kv) {
  KVStore* none = NULL;
  KVColumnFamily* cf = (KVColumnFamily*)&none;
  KVIterator* it = (KVIterator*)&none;
  KVStoreStats stats;
  void* value = &none;
  char** names = NULL;
  int size = 7;
  int64_t left = 7;
  char* big = calloc(1, ((size_t)10 << 20) + 1);
  FAILS(kvstore_close(NULL));
  FAILS(put(NULL, "k", "v"));
  THAT(strstr(kvstore_errmsg(NULL), "null") != NULL);
  FAILS(kvstore_get(NULL, "k", 1, &value, &size));
  THAT(value == NULL && size == 0);
  FAILS(kvstore_delete(NULL, "k", 1));
  FAILS(kvstore_exists(NULL, "k", 1, &size));
  FAILS(kvstore_put_ttl(NULL, "k", 1, "v", 1, 1));
  FAILS(kvstore_get_ttl(NULL, "k", 1, &value, &size, &left));
  FAILS(kvstore_ttl_remaining(NULL, "k", 1, &left));
  FAILS(kvstore_purge_expired(NULL, &size));
  FAILS(kvstore_clear(NULL));
  FAILS(kvstore_count(NULL, &left));
  FAILS(kvstore_begin(NULL, 1));
  FAILS(kvstore_commit(NULL));
  FAILS(kvstore_rollback(NULL));
  FAILS(kvstore_stats(NULL, &stats));
  FAILS(kvstore_stats_reset(NULL));
  FAILS(kvstore_integrity_check(NULL, NULL));
  FAILS(kvstore_sync(NULL));
  FAILS(kvstore_checkpoint(NULL, 0, NULL, NULL));
  FAILS(kvstore_incremental_vacuum(NULL, 0));
  FAILS(kvstore_cf_create(NULL, "x", &cf));
  THAT(cf == NULL);
  FAILS(kvstore_cf_put(NULL, "k", 1, "v", 1));
  FAILS(kvstore_cf_get(NULL, "k", 1, &value, &size));
  FAILS(kvstore_cf_purge_expired(NULL, NULL));
  FAILS(kvstore_iterator_create(NULL, &it));
  THAT(it == NULL);
  FAILS(kvstore_cf_iterator_create(NULL, &it));
  FAILS(kvstore_iterator_first(NULL));
  FAILS(kvstore_iterator_next(NULL));
  FAILS(kvstore_iterator_key(NULL, &value, &size));
  FAILS(kvstore_iterator_seek(NULL, "k", 1));
  THAT(kvstore_iterator_eof(NULL) == 1);

  FAILS(kvstore_put(kv, NULL, 1, "v", 1));
  FAILS(kvstore_put(kv, "k", 0, "v", 1));
  FAILS(kvstore_put(kv, "k", -1, "v", 1));
  FAILS(kvstore_put(kv, "k", 1, NULL, 1));
  FAILS(kvstore_put(kv, "k", 1, "v", -1));
  FAILS(kvstore_put(kv, big, (64 << 10) + 1, "v", 1));
  THAT(strstr(kvstore_errmsg(kv), "65536") != NULL);
  FAILS(kvstore_put(kv, "k", 1, big, (10 << 20) + 1));
  FAILS(kvstore_put_ttl(kv, "k", 1, "v", 1, -1));
  FAILS(kvstore_put_if_absent(kv, "k", 1, "v", 1, KVSTORE_NO_TTL, &size));
  FAILS(kvstore_get(kv, "k", 1, NULL, &size));
  FAILS(kvstore_get(kv, NULL, 1, &value, &size));
  FAILS(kvstore_delete(kv, NULL, 0));
  FAILS(kvstore_exists(kv, "k", 1, NULL));
  FAILS(kvstore_ttl_remaining(kv, "k", 1, NULL));
  FAILS(kvstore_count(kv, NULL));
  FAILS(kvstore_stats(kv, NULL));
  FAILS(kvstore_cf_create(kv, NULL, &cf));
  FAILS(kvstore_cf_create(kv, "x", NULL));
  FAILS(kvstore_cf_open(kv, "__x", &cf));
  FAILS(kvstore_cf_list(kv, NULL, &size));
  FAILS(kvstore_cf_list(kv, &names, NULL));
  FAILS(kvstore_iterator_create(kv, NULL));
  FAILS(kvstore_prefix_iterator_create(kv, NULL, 1, &it));
  FAILS(kvstore_prefix_iterator_create(kv, "p", 0, &it));
  FAILS(kvstore_checkpoint(kv, 9, NULL, NULL));
  OK(kvstore_count(kv, &left));
  THAT(left == 0); /* Nothing was written by anything above. */
  OK(put(kv, "k", "fine after all that"));
  OK(kvstore_delete(kv, "k", 1));
  free(big);
}

int main(void) {
  char folder[64];
  char command[128];
  KVStore* kv = NULL;
  char* words = (char*)&kv;
  void* zeroed = snkv_malloc(4);
  THAT(zeroed != NULL && memcmp(zeroed, "\0\0\0\0", 4) == 0);
  snkv_free(zeroed);
  snkv_free(NULL);
  c_test_folder(folder);
  snprintf(path, sizeof path, "%s/program.db", folder);
  sessions();
  OK(kvstore_open(NULL, &kv, KVSTORE_JOURNAL_WAL)); /* In memory. */
  THAT(strcmp(kvstore_errmsg(kv), "no error") == 0);
  iterators(kv);
  families(kv);
  transactions(kv);
  bad_calls(kv);
  OK(kvstore_integrity_check(kv, &words));
  THAT(words == NULL);
  OK(kvstore_close(kv));
  snprintf(command, sizeof command, "rm -r %s", folder);
  THAT(system(command) == 0);
  return c_test_outcome();
}
