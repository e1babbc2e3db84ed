/* c_home.h - a database through c.h, in memory, on a clock that the test moves. For tests in plain
 * C. */
#ifndef MAYFLY_CAPI_TESTING_C_HOME_H
#define MAYFLY_CAPI_TESTING_C_HOME_H

#include "capi/testing/c_test.h"
#include "mayfly/c.h"

#define OK(call) MAYFLY_CHECK_CODE(call, MAYFLY_OK)
#define THAT(condition) MAYFLY_CHECK_THAT(condition)

enum { TTL = 1000 };

static _Atomic int64_t clock_now = 1700000000000;  // A reaper reads it from its thread.
static int64_t now_ms(void* context) { return *(_Atomic int64_t*)context; }
static const mayfly_clock manual = {sizeof(mayfly_clock), now_ms, NULL, &clock_now};

static inline mayfly_database* open_memory(void) {
  mayfly_database_options options = {
      .size = sizeof options, .clock = &manual, .clock_jump_max_ms = INT64_MAX};
  mayfly_database* db = NULL;
  OK(mayfly_open(&options, &db));
  return db;
}

static inline mayfly_keyspace* default_of(mayfly_database* db) {
  mayfly_keyspace* keyspace = NULL;
  OK(mayfly_default_keyspace(db, &keyspace));
  return keyspace;
}

static inline int put(mayfly_view* view, const char* key, const char* value,
                      mayfly_lifetime lifetime) {
  return mayfly_put(view, key, strlen(key), value, strlen(value), lifetime);
}

/* 1 when the key has this value; for NULL, when it has none. */
static inline int has(const mayfly_view* view, const char* key, const char* expected) {
  void* value = NULL;
  size_t size = 0;
  const int code = mayfly_get(view, key, strlen(key), &value, &size);
  int same = 0;
  if (expected == NULL) {
    same = code == MAYFLY_NOT_FOUND && value == NULL && size == 0;
  } else {
    same = code == MAYFLY_OK && size == strlen(expected) && strcmp(value, expected) == 0;
  }
  mayfly_free(value);
  return same;
}

#endif
