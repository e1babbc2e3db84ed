/* one_time_links - links for a new password, from C: each works once, and for ten minutes at most.
 *
 * The value is the account. A link that is used is deleted, and delete tells whether it was still
 * there, so two requests with the same link cannot both succeed. Time is the example's own, so that
 * it takes none; leave options.clock out and the machine's is used. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mayfly/c.h"

static int64_t now_ms(void* context) { return *(int64_t*)context; }
static int64_t steady_ns(void* context) { return *(int64_t*)context * 1000000; }

static int tell(bool holds, const char* what) {
  printf("%s %s\n", holds ? "-" : "NOT TRUE:", what);
  return holds ? 0 : 1;
}

/* The account of the link, once: to be freed. Null if the link is unknown, used or too old. */
static char* use_link(mayfly_view* links, const char* link) {
  void* account = NULL;
  size_t size = 0;
  if (mayfly_get(links, link, strlen(link), &account, &size) != MAYFLY_OK) return NULL;
  bool was_there = false;
  if (mayfly_delete(links, link, strlen(link), &was_there) == MAYFLY_OK && was_there) return account;
  mayfly_free(account);
  return NULL;
}

static int run(mayfly_view* links, int64_t* time_ms) {
  const int64_t ten_minutes_ms = 10 * 60 * 1000;
  int wrong = 0;
  if (mayfly_put(links, "9f2c", 4, "alice", 5, mayfly_for(ten_minutes_ms)) != MAYFLY_OK) return 1;
  if (mayfly_put(links, "77ab", 4, "bob", 3, mayfly_for(ten_minutes_ms)) != MAYFLY_OK) return 1;

  char* first = use_link(links, "9f2c");
  wrong += tell(first != NULL && strcmp(first, "alice") == 0, "alice's link works");
  mayfly_free(first);
  wrong += tell(use_link(links, "9f2c") == NULL, "it does not work again");

  *time_ms += ten_minutes_ms;
  wrong += tell(use_link(links, "77ab") == NULL, "bob's is dead after ten minutes");
  return wrong;
}

int main(void) {
  int64_t time_ms = 1700000000000;
  const mayfly_clock clock = {
      .size = sizeof clock, .now_ms = now_ms, .steady_ns = steady_ns, .context = &time_ms};
  const mayfly_database_options options = {.size = sizeof options, .clock = &clock};
  mayfly_database* database = NULL;
  mayfly_keyspace* keyspace = NULL;
  int wrong = 1;
  if (mayfly_open(&options, &database) == MAYFLY_OK &&
      mayfly_default_keyspace(database, &keyspace) == MAYFLY_OK) {
    wrong = run(mayfly_keyspace_view(keyspace), &time_ms);
  }
  if (wrong != 0) fprintf(stderr, "%s\n", mayfly_error_message());
  mayfly_release_keyspace(keyspace);
  mayfly_close(database);
  return wrong == 0 ? 0 : 1;
}
