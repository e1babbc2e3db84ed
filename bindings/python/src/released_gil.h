// released_gil.h - the time in which other threads of Python may run.
// A thread that asks for the GIL back while Python shuts down is ended by Python, by an unwinding
// that no destructor may let pass. It stays here instead, without any lock, until the process ends:
// what it was about to do needs a Python that is gone.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

namespace mayfly::python {

class ReleasedGil {
 public:
  ReleasedGil() : thread_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (const abi::__forced_unwind&) {
      for (;;) pause();
    }
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* const thread_;
};

}  // namespace mayfly::python
