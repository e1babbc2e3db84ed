#!/usr/bin/env python3
"""Puts faults into the memory-first engine, one after the other, and runs the test that finds each.

  src/engine/hot/testing/mutants.py [--build DIR] [--only WORD]

A fault is a text in a source file and what replaces it. The file is changed, the test's program is
built and run, and the file is as it was again; a test that passes has missed its fault. Exit code 1
if one did, or if a fault does not fit the code any more. Takes minutes, and belongs to no test run.
"""
import argparse
import dataclasses
import pathlib
import subprocess
import sys

HOT = pathlib.Path(__file__).resolve().parent.parent
ROOT = HOT.parent.parent.parent


@dataclasses.dataclass
class Fault:
    name: str
    file: str  # Below src/engine/hot.
    old: str
    new: str
    program: str
    test: str  # For --gtest_filter.


FAULTS = [
    Fault("skipped fsync: of the log's files", "log/log_syncer.cc",
          "const Status synced = segment.file().Sync();",
          "const Status synced;",
          "engine_hot_log_tests",
          "LogFailuresTest.WhatWasSyncedSurvivesAPowerCutThatKeepsNothingElse*"),
    Fault("skipped fsync: of the log before a segment goes", "fold.cc",
          "  MAYFLY_RETURN_IF_ERROR(parts_.log.Sync(parts_.log.last_sequence()));\n", "",
          "engine_hot_tests",
          "*HotFaultTest.ARowWhoseDeleteIsLostByAPowerCutIsStillThere*"),
    Fault("skipped fsync: of the cold store", "fold.cc",
          "  MAYFLY_RETURN_IF_ERROR(parts_.cold.Sync(Durability::kDisk));\n", "",
          "engine_hot_tests",
          "*HotFaultTest.APowerCutAtEveryChangeLeavesAStateWithAllThatWasSynced*"),
    Fault("segment dropped early", "fold.cc",
          "  MAYFLY_RETURN_IF_ERROR(WriteRanges(changes));\n",
          "  MAYFLY_RETURN_IF_ERROR(parts_.log.Remove(segment.last_sequence));\n"
          "  MAYFLY_RETURN_IF_ERROR(WriteRanges(changes));\n",
          "engine_hot_tests",
          "HotEngineTest.AFoldThatFailsIsRepeatedAndLosesNothing"),
    Fault("tombstone lost at fold", "fold.cc",
          "if (!flags || ((*flags & kTombstone) && (*flags & kOverCold) == 0)) continue;",
          "if (!flags || (*flags & kTombstone)) continue;",
          "engine_hot_tests",
          "HotEngineTest.ATombstoneReachesTheColdStore"),
    Fault("dying rows folded before their purge", "hot_database_fold.cc",
          "segments.empty() || is_purge_awaited_ || !is_over", "segments.empty() || !is_over",
          "engine_hot_tests",
          "PurgeWaitTest.WhatIsPurgedMeanwhileDoesNotReachTheColdStore"),
    Fault("eviction of a dirty row", "index/role_map_prune.cc",
          "if ((state & (kDirty | kTombstone | kHasOlder))",
          "if ((state & (kTombstone | kHasOlder))",
          "engine_hot_index_tests",
          "HotIndexTest.OnlyCleanRowsAreEvicted"),
    Fault("stale residency flag", "hot_database_memory.cc",
          "  // Before the first row goes: a reader that misses it must see this.\n"
          "  rows_->is_resident.store(false, std::memory_order_seq_cst);\n", "",
          "engine_hot_tests",
          "HotEvictionTest.RowsThatDoNotFitInMemoryAreReadFromTheColdStore"),
    Fault("torn record accepted", "log/log_format.cc",
          "  return EncodeRecordHeader(record.header, record.payload, seed, header.data()) ==\n"
          "         GetLittle32(in.data());",
          "  EncodeRecordHeader(record.header, record.payload, seed, header.data());\n"
          "  return true;",
          "engine_hot_log_tests",
          "*LogRecoveryTest.EveryTornEndIsCutBeforeTheRecord*"),
    Fault("snapshot that sees a later write: nothing is kept for it", "index/open_states.cc",
          "needed_below_.store(states_.empty() ? 0 : *states_.rbegin() + 1, "
          "std::memory_order_seq_cst);",
          "needed_below_.store(0, std::memory_order_seq_cst);",
          "engine_hot_index_tests",
          "HotIndexTest.ASnapshotSeesNoLaterWrite"),
    Fault("snapshot that sees a later write: a row that came back", "hot_database.cc",
          "{.departures = departures, .through = through}",
          "{.departures = departures, .through = 0}",
          "engine_hot_tests",
          "HotEvictionTest.ASnapshotDoesNotSeeARowThatCameBackFromTheColdStore"),
    Fault("remembered leaf of another tree", "index/row_tree.cc",
          "if ((seen & 1) || leaf.tree() != number_ || !leaf.is_leaf()) return nullptr;",
          "if ((seen & 1) || !leaf.is_leaf()) return nullptr;",
          "engine_hot_index_tests",
          "GrowingLeafTest.ALeafThatHasLeftItsTreeIsNotUsed"),
    Fault("remembered leaf whose bound is not looked at", "index/row_tree.cc",
          "return CompareWords(bound.bytes, bound.size, key) > 0;",
          "return CompareWords(bound.bytes, bound.size, key) >= -1;",
          "engine_hot_index_tests",
          "GrowingLeafTest.AKeyBehindTheBoundOfTheLeafGoesElsewhere"),
    Fault("key before the prefix of a node at the edge", "index/row_tree.cc",
          "return {.index = order < 0 ? 0 : count, .equal = false};",
          "return {.index = count, .equal = false};",
          "engine_hot_index_tests",
          "GrowingLeafTest.KeysOutsideThePrefixOfTheRootAreFound"),
    Fault("wide copy that forgets its end", "index/words.h",
          "  MoveWide(source + last, target + last);\n", "",
          "engine_hot_index_tests",
          "Words.CopyAnyBytesAndLeaveTheirNeighbours"),
]


def found(fault, build):
    """Whether the test failed; None: the fault does not fit, or does not compile."""
    path = HOT / fault.file
    text = path.read_text()
    if text.count(fault.old) != 1:
        print(f"{fault.name}: {fault.file} has changed; mend the fault")
        return None
    try:
        path.write_text(text.replace(fault.old, fault.new))
        made = subprocess.run(["cmake", "--build", build, "--target", fault.program],
                              capture_output=True, text=True)
        if made.returncode != 0:
            print(f"{fault.name}: does not compile\n{made.stdout[-2000:]}")
            return None
        ran = subprocess.run([f"{build}/tests/{fault.program}", f"--gtest_filter={fault.test}"],
                             capture_output=True, text=True)
        if " tests ran" not in ran.stdout and " test from" not in ran.stdout:
            return True  # It died in the test.
        return ran.returncode != 0
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build" / "release"))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    missed = 0
    for fault in FAULTS:
        if options.only not in fault.name:
            continue
        result = found(fault, options.build)
        print(f"{'found ' if result else 'MISSED'}  {fault.name}: {fault.test.strip('*')}",
              flush=True)
        missed += 0 if result else 1
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
