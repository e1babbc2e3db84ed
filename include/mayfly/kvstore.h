/* kvstore.h - SNKV's interface on mayfly: programs written for it compile and run unchanged.
 *
 *   KVStore* kv = NULL;
 *   if (kvstore_open("sessions.db", &kv, KVSTORE_JOURNAL_WAL) != KVSTORE_OK) return 1;
 *   kvstore_put_ttl(kv, "session:7", 9, "alice", 5, kvstore_now_ms() + 30 * 60 * 1000);
 *   kvstore_close(kv);
 *
 * Names, parameters, numbers and structs are that interface's; new programs are better served by
 * c.h or the C++ headers. How mayfly implements it:
 *
 * Paths. The path is a small regular file that names the directory beside it in which the rows are;
 * each new file names a new directory. Removing the file removes the database: the next open
 * creates a new one. The directory, `<file>-<16 hex digits>.mayfly`, is left behind, never opened
 * again unless the file comes back, and yours to delete. File and directory move together. One open
 * for writing at a time, in this process and all others: else KVSTORE_BUSY, after busyTimeout. Any
 * number of read-only opens beside it, which show what has been committed when a call or a
 * transaction begins.
 *
 * Expiry. A row is gone from its deadline on, for every call outside transactions; an iterator
 * shows what was alive when it read the state it walks. A get, an exists or a ttl that meets a dead
 * row outside transactions removes it, kvstore_purge_expired() removes all of a family. A row that
 * is put with a deadline in the past is not stored; purge still counts it, as programs expect.
 *
 * Transactions. From kvstore_begin() on, all calls on the handle and its families are part of it,
 * from whatever thread: with write, as one transaction that is applied at commit; without, as reads
 * of one frozen state, and writes are KVSTORE_READONLY. Time stands still inside: what was alive at
 * begin stays alive. Meeting or purging dead rows never commits, ends or fails it. A purge works by
 * the time outside, and also removes and counts rows that have died since begin, which the
 * transaction goes on showing.
 *
 * Full disks. A write that finds no room is KVSTORE_ERROR, and nothing is written. No space is set
 * aside, so that deletes and purges may be refused, too, until there is room; c.h and the C++
 * headers have disk_reserve_bytes for that.
 *
 * How calls fail. They return a KVSTORE_... code; kvstore_errmsg() returns the message.
 * KVSTORE_ERROR for null handles, null or empty keys, keys above 64 KiB, values above 10 MiB, names
 * above 255 bytes, and every call that is wrong as made; nothing is written then. Out parameters
 * are null or 0 after a failure.
 *
 * How long things live. Memory that a call returns belongs to the caller, who releases it with
 * snkv_free(), unless said otherwise. Column families and iterators have their own close, also
 * after the store was closed: until then calls on them are KVSTORE_ERROR.
 *
 * Threads. A KVStore and its families may be used from any thread; an iterator from one at a time.
 * kvstore_close() must be the last call on the store.
 *
 * Processes. In a child made by fork() calls on the parent's handles are KVSTORE_ERROR; closing
 * them is allowed and touches nothing. The child opens the store anew, once the parent has closed
 * it. */
#ifndef MAYFLY_KVSTORE_H
#define MAYFLY_KVSTORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KVSTORE_OK 0
#define KVSTORE_ERROR 1
#define KVSTORE_BUSY 5   /* Open elsewhere, or in the way of a transaction. */
#define KVSTORE_LOCKED 6 /* Not within this handle's own transaction. */
#define KVSTORE_NOMEM 7
#define KVSTORE_READONLY 8
#define KVSTORE_CORRUPT 11
#define KVSTORE_NOTFOUND 12 /* Never written, deleted or dead; these cannot be told apart. */
#define KVSTORE_AUTH_FAILED 13
#define KVSTORE_PROTOCOL 15

#define KVSTORE_NO_TTL (-INT64_C(1)) /* The time left of a row without a deadline. */

#define KVSTORE_MAX_COLUMN_FAMILIES 64 /* Not enforced. */

#define KVSTORE_JOURNAL_DELETE 0
#define KVSTORE_JOURNAL_WAL 1

#define KVSTORE_SYNC_OFF 0
#define KVSTORE_SYNC_NORMAL 1
#define KVSTORE_SYNC_FULL 2

#define KVSTORE_CHECKPOINT_PASSIVE 0
#define KVSTORE_CHECKPOINT_FULL 1
#define KVSTORE_CHECKPOINT_RESTART 2
#define KVSTORE_CHECKPOINT_TRUNCATE 3

typedef struct KVStore KVStore;
typedef struct KVColumnFamily KVColumnFamily;
typedef struct KVIterator KVIterator;

typedef struct KVStoreConfig KVStoreConfig;
struct KVStoreConfig {
  int journalMode; /* KVSTORE_JOURNAL_..., both alike: there is one kind of log. */
  int syncLevel;   /* Off and normal: survives the process. Full: survives a power cut, an fsync per
                      commit. */
  int cacheSize;   /* Pages. 0: default. Chooses one of three memory profiles. */
  int pageSize;    /* Bytes. 0: 4096. Only used to count pages. */
  int readOnly;    /* 1: writes are KVSTORE_READONLY. */
  int busyTimeout; /* Milliseconds that open waits while the store is open elsewhere. */
  int walSizeLimit;   /* Checkpoint every so many commits. 0: none. */
  int allowEncrypted; /* Not used: an encrypted store needs its password. */
  int fullMutex;      /* Not used; calls are always safe from any thread. */
};

/* Counters since open or the last reset, except nDbPages. */
typedef struct KVStoreStats KVStoreStats;
struct KVStoreStats {
  uint64_t nPuts;
  uint64_t nGets;
  uint64_t nDeletes;
  uint64_t nIterations;   /* Iterators created. */
  uint64_t nErrors;       /* Calls that failed; a missing key is no failure. */
  uint64_t nBytesRead;    /* Of values. */
  uint64_t nBytesWritten; /* Of keys and values. */
  uint64_t nWalCommits;
  uint64_t nCheckpoints;
  uint64_t nTtlExpired; /* Dead rows removed by reads. */
  uint64_t nTtlPurged;  /* Dead rows removed by kvstore_purge_expired() and its cf variant. */
  uint64_t nDbPages;
};

/* Allocates zeroed memory, or returns null. snkv_free() releases it. */
void* snkv_malloc(size_t n);
void snkv_free(void* p);

/* SQLite names that programs of this interface use. Not where SQLite itself is used. */
#if !defined(SQLITE3_H) && !defined(MAYFLY_KVSTORE_WITHOUT_SQLITE_NAMES)
/* NOLINTBEGIN(readability-identifier-naming) */
#define sqlite3_free snkv_free
#define sqliteFree snkv_free
#define sqliteMalloc snkv_malloc
#define SQLITE_BUSY KVSTORE_BUSY
#define SQLITE_LOCKED KVSTORE_LOCKED
#define SQLITE_PROTOCOL KVSTORE_PROTOCOL
/* NOLINTEND(readability-identifier-naming) */
#endif

/* ---- Opening and closing ---- */

/* Opens the store at `path`, or creates it. Null path: in memory. `*ppKV` is null after a failure.
 * KVSTORE_CORRUPT when the file is not mayfly's or its directory is gone. */
int kvstore_open(const char* path, KVStore** ppKV, int journalMode);

/* As kvstore_open(), with a configuration. Null: defaults, that is WAL and SYNC_NORMAL. With
 * readOnly, a missing store is KVSTORE_ERROR. */
int kvstore_open_v2(const char* path, KVStore** ppKV, const KVStoreConfig* pConfig);

/* Rolls back, ends iterators, closes. The handle is gone whatever the code. */
int kvstore_close(KVStore* pKV);

/* As kvstore_open_v2(), for a store whose files are encrypted: keys, values and names. A new store
 * is encrypted from the start; an existing one is encrypted first, which takes as long as copying
 * it and is KVSTORE_BUSY while a reader has it open. KVSTORE_AUTH_FAILED when the password is
 * wrong, and from kvstore_open() for such a store. A password has 1 to 4096 bytes of any kind. An
 * open takes about 0.2 s longer. */
int kvstore_open_encrypted(const char* path, const void* pPassword, int nPassword, KVStore** ppKV,
                           const KVStoreConfig* pConfig);

/* 1 for a store with a password; also for one in memory, although it has no files to encrypt. */
int kvstore_is_encrypted(KVStore* pKV);

/* Writes all files anew under another password, or under none, and removes the old ones: a copy of
 * the store's file that named them (see above) leads nowhere then. Handles and iterators stay
 * valid. KVSTORE_ERROR when the store is not encrypted or a copy of it has no room on the disk,
 * KVSTORE_BUSY in a transaction. After a failure the old password is in force, unless the message
 * says otherwise, and the store goes on; if the disk is so full that it cannot be opened again,
 * calls fail and each tries again. After a crash either password is in force. Files of the other
 * are removed, at the next open at the latest. */
int kvstore_reencrypt(KVStore* pKV, const void* pPassword, int nPassword);
int kvstore_remove_encryption(KVStore* pKV);

/* The message of the last call that failed on this handle. For a null handle: of the last call on
 * this thread that had none, such as an open. Never null; lives until the next kvstore_errmsg() on
 * this thread. */
const char* kvstore_errmsg(KVStore* pKV);

/* ---- Rows of the default family ---- */

/* Writes the row, without a deadline. */
int kvstore_put(KVStore* pKV, const void* pKey, int nKey, const void* pValue, int nValue);

/* Get and delete return KVSTORE_NOTFOUND when there is no living row. */
int kvstore_get(KVStore* pKV, const void* pKey, int nKey, void** ppValue, int* pnValue);
int kvstore_delete(KVStore* pKV, const void* pKey, int nKey);
int kvstore_exists(KVStore* pKV, const void* pKey, int nKey, int* pExists);

/* Writes the row if there is no living one. `expire_ms` as in kvstore_put_ttl(). `pInserted` may be
 * null. */
int kvstore_put_if_absent(KVStore* pKV, const void* pKey, int nKey, const void* pValue, int nValue,
                          int64_t expire_ms, int* pInserted);

/* Writes the row, which dies at `expire_ms`, since 1970. 0: never. Negative: KVSTORE_ERROR. */
int kvstore_put_ttl(KVStore* pKV, const void* pKey, int nKey, const void* pValue, int nValue,
                    int64_t expire_ms);

/* The value and the time left in ms, or KVSTORE_NO_TTL. `pnRemaining` may be null; it is 0 after
 * KVSTORE_NOTFOUND. */
int kvstore_get_ttl(KVStore* pKV, const void* pKey, int nKey, void** ppValue, int* pnValue,
                    int64_t* pnRemaining);
int kvstore_ttl_remaining(KVStore* pKV, const void* pKey, int nKey, int64_t* pnRemaining);

/* As kvstore_ttl_remaining(), in whole seconds, rounded up. */
int kvstore_ttl(KVStore* pKV, const void* pKey, int nKey, int64_t* pTtlRemaining);

/* Removes all dead rows; O(dead). `pnDeleted` may be null. */
int kvstore_purge_expired(KVStore* pKV, int* pnDeleted);

/* The present instant, in ms since 1970. */
int64_t kvstore_now_ms(void);

/* Removes all rows: at once, or in a transaction as part of it. */
int kvstore_clear(KVStore* pKV);

/* Living rows, exactly. */
int kvstore_count(KVStore* pKV, int64_t* pnCount);

/* ---- Column families ---- */

/* Creates a family, at once, also within a transaction. KVSTORE_ERROR when it exists, or the name
 * begins with "__" or "_snkv_". */
int kvstore_cf_create(KVStore* pKV, const char* zName, KVColumnFamily** ppCF);

/* Opens a family. KVSTORE_NOTFOUND when there is none of that name. */
int kvstore_cf_open(KVStore* pKV, const char* zName, KVColumnFamily** ppCF);
int kvstore_cf_get_default(KVStore* pKV, KVColumnFamily** ppCF);

/* Drops a family with its rows; calls on its handles are KVSTORE_ERROR then. KVSTORE_LOCKED within
 * a transaction. */
int kvstore_cf_drop(KVStore* pKV, const char* zName);

/* The names of all families but the default one. The caller releases each name and the list. */
int kvstore_cf_list(KVStore* pKV, char*** pazNames, int* pnCount);
void kvstore_cf_close(KVColumnFamily* pCF);

/* As the functions without cf_, in this family. */
int kvstore_cf_put(KVColumnFamily* pCF, const void* pKey, int nKey, const void* pValue, int nValue);
int kvstore_cf_get(KVColumnFamily* pCF, const void* pKey, int nKey, void** ppValue, int* pnValue);
int kvstore_cf_delete(KVColumnFamily* pCF, const void* pKey, int nKey);
int kvstore_cf_exists(KVColumnFamily* pCF, const void* pKey, int nKey, int* pExists);
int kvstore_cf_put_if_absent(KVColumnFamily* pCF, const void* pKey, int nKey, const void* pValue,
                             int nValue, int64_t expire_ms, int* pInserted);
int kvstore_cf_put_ttl(KVColumnFamily* pCF, const void* pKey, int nKey, const void* pValue,
                       int nValue, int64_t expire_ms);
int kvstore_cf_get_ttl(KVColumnFamily* pCF, const void* pKey, int nKey, void** ppValue,
                       int* pnValue, int64_t* pnRemaining);
int kvstore_cf_ttl_remaining(KVColumnFamily* pCF, const void* pKey, int nKey, int64_t* pnRemaining);
int kvstore_cf_ttl(KVColumnFamily* pCF, const void* pKey, int nKey, int64_t* pTtlRemaining);
int kvstore_cf_purge_expired(KVColumnFamily* pCF, int* pnDeleted);
int kvstore_cf_clear(KVColumnFamily* pCF);
int kvstore_cf_count(KVColumnFamily* pCF, int64_t* pnCount);

/* ---- Iterators ---- */

/* Living rows in the order of memcmp, or in reverse. A new iterator is on the first row of its
 * direction. First, last and seek read the newest state; next and prev go on in that state and at
 * that instant: a row that dies meanwhile is still shown. */
int kvstore_iterator_create(KVStore* pKV, KVIterator** ppIter);
int kvstore_reverse_iterator_create(KVStore* pKV, KVIterator** ppIter);
int kvstore_prefix_iterator_create(KVStore* pKV, const void* pPrefix, int nPrefix,
                                   KVIterator** ppIter);
int kvstore_reverse_prefix_iterator_create(KVStore* pKV, const void* pPrefix, int nPrefix,
                                           KVIterator** ppIter);
int kvstore_cf_iterator_create(KVColumnFamily* pCF, KVIterator** ppIter);
int kvstore_cf_reverse_iterator_create(KVColumnFamily* pCF, KVIterator** ppIter);
int kvstore_cf_prefix_iterator_create(KVColumnFamily* pCF, const void* pPrefix, int nPrefix,
                                      KVIterator** ppIter);
int kvstore_cf_reverse_prefix_iterator_create(KVColumnFamily* pCF, const void* pPrefix, int nPrefix,
                                              KVIterator** ppIter);

int kvstore_iterator_first(KVIterator* pIter);
int kvstore_iterator_next(KVIterator* pIter); /* At the end: KVSTORE_OK, and it stays there. */

/* Both on a reverse iterator only; else KVSTORE_ERROR. */
int kvstore_iterator_last(KVIterator* pIter);
int kvstore_iterator_prev(KVIterator* pIter);

int kvstore_iterator_eof(KVIterator* pIter); /* 1 when there is no row; of null, 1. */

/* The current row. Owned by the iterator, until it moves. KVSTORE_ERROR at the end. */
int kvstore_iterator_key(KVIterator* pIter, void** ppKey, int* pnKey);
int kvstore_iterator_value(KVIterator* pIter, void** ppValue, int* pnValue);

/* The first key at or after this one; of a reverse iterator, the last at or before. Within the
 * prefix. */
int kvstore_iterator_seek(KVIterator* pIter, const void* pKey, int nKey);
void kvstore_iterator_close(KVIterator* pIter);

/* ---- Transactions ---- */

/* Begins a transaction. One at a time per handle: KVSTORE_ERROR within another. */
int kvstore_begin(KVStore* pKV, int wrflag);

/* Commits or rolls back. KVSTORE_ERROR without a transaction. */
int kvstore_commit(KVStore* pKV);
int kvstore_rollback(KVStore* pKV);

/* ---- Maintenance ---- */

int kvstore_stats(KVStore* pKV, KVStoreStats* pStats);
int kvstore_stats_reset(KVStore* pKV);

/* KVSTORE_CORRUPT, with the findings in `*pzErrMsg`, when index, counters and rows do not agree.
 * `pzErrMsg` may be null. */
int kvstore_integrity_check(KVStore* pKV, char** pzErrMsg);

/* Makes everything committed so far survive a power cut. An open transaction stays open. */
int kvstore_sync(KVStore* pKV);

/* Gives the space of deleted, cleared and purged rows back to the disk; all of it, whatever
 * `nPage`. Takes as long as rewriting the files that contain them. */
int kvstore_incremental_vacuum(KVStore* pKV, int nPage);

/* As kvstore_sync(). KVSTORE_BUSY in a write transaction. `*pnLog` and `*pnCkpt` are 0, since no
 * pages are left in a log; both may be null. */
int kvstore_checkpoint(KVStore* pKV, int mode, int* pnLog, int* pnCkpt);

#ifdef __cplusplus
}
#endif

#endif /* MAYFLY_KVSTORE_H */
