/* c_test.h - the few words that the tests written in plain C need. */
#ifndef MAYFLY_CAPI_TESTING_C_TEST_H
#define MAYFLY_CAPI_TESTING_C_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int c_test_failures = 0;
static int c_test_checks = 0;

static inline void c_test_that(int holds, const char* text, const char* file, int line) {
  ++c_test_checks;
  if (holds) return;
  ++c_test_failures;
  fprintf(stderr, "%s:%d: %s\n", file, line, text);
}

static inline void c_test_code(int code, int expected, const char* text, const char* file,
                               int line) {
  ++c_test_checks;
  if (code == expected) return;
  ++c_test_failures;
  fprintf(stderr, "%s:%d: %s is %d, not %d\n", file, line, text, code, expected);
}

#define MAYFLY_CHECK_THAT(condition) c_test_that((condition), #condition, __FILE__, __LINE__)
#define MAYFLY_CHECK_CODE(call, code) c_test_code((call), (code), #call, __FILE__, __LINE__)

/* The end of main(). */
static inline int c_test_outcome(void) {
  printf("%d checks, %d failures\n", c_test_checks, c_test_failures);
  return c_test_failures == 0 ? 0 : 1;
}

/* An empty folder of its own, in `path` of at least 64 bytes. */
char* mkdtemp(char* pattern); /* POSIX, which C11 headers do not declare. */
static inline void c_test_folder(char* path) {
  const char* const place = getenv("TMPDIR");
  snprintf(path, 64, "%.40s/mayfly_c_XXXXXX", place != NULL ? place : "/tmp");
  if (mkdtemp(path) == NULL) abort();
}

#endif
