// exit_codes.h - what the program's exit code says; docs/command_line.md lists the same.
#pragma once

namespace mayfly::app {

enum ExitCode : int {
  kExitDone = 0,
  kExitFailed = 1,
  kExitUsage = 2,         // An unknown flag or setting, or a bad value.
  kExitFoundFault = 3,    // A check or proof found something, or a copy is incomplete.
  kExitNotFound = 4,      // There is no such key.
  kExitInterrupted = 130  // As a shell reports a program ended by Ctrl-C.
};

}  // namespace mayfly::app
