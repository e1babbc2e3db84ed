// Expiry events. No thread of the engine calls Python: a subscription wakes the reader, which reads
// the events itself.
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "database.h"
#include "mayfly/types.h"
#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

py::dict EventToDict(const Event& event) {
  py::dict made;
  made["sequence"] = event.sequence;
  made["keyspace"] = event.keyspace_name;
  made["keyspace_id"] = event.keyspace;
  made["key"] = ToBytes(event.key);
  made["deadline"] = ToDatetime(event.deadline);
  made["purged_at"] = ToDatetime(event.purged_at);
  made["cause"] = NameOf<EventCause>(event.cause, {{"purged", EventCause::kPurged},
                                                   {"read", EventCause::kRead},
                                                   {"replaced", EventCause::kReplaced},
                                                   {"born_dead", EventCause::kBornDead},
                                                   {"evicted", EventCause::kEvicted}});
  made["value"] = event.value ? py::object(ToBytes(*event.value)) : py::none();
  const auto field = Hash::FieldOf(event);
  made["field"] = field ? py::object(ToBytes(*field)) : py::none();
  return made;
}

// Wakes a reader when events were written since it was last woken.
class EventWaiter final : public Dependent {
 public:
  explicit EventWaiter(const DatabaseHandle& handle)
      : Dependent(Rank::kOther), database_(handle.database), state_(std::make_shared<State>()) {
    Check(Enter(*database_, [&](Database& database) -> Status {
      auto subscription = database.Subscribe([state = state_](const Event&) { state->Wake(); });
      if (!subscription) return subscription.error();
      subscription_ = *std::move(subscription);
      database_->Register(*this);
      return {};
    }));
  }

  ~EventWaiter() override { database_->Release(*this); }

  void Shut() override {
    const std::lock_guard lock(mutex_);
    subscription_.reset();
    state_->Wake();
  }

  // True when woken, false after that time. Returns early, as woken, for a signal.
  bool Wait(double seconds) {
    using Seconds = std::chrono::duration<double>;
    const auto end = std::chrono::steady_clock::now() + Seconds(std::min(seconds, 1e9));
    for (;;) {
      bool woken = false;
      {
        const ReleasedGil released;
        const auto slice = std::chrono::steady_clock::now() + Seconds(kSignalCheckSeconds);
        woken = state_->WaitUntil(std::min<Instant>(std::chrono::time_point_cast<Tick>(end),
                                                    std::chrono::time_point_cast<Tick>(slice)));
      }
      if (woken) return true;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (std::chrono::steady_clock::now() >= end) return false;
    }
  }

 private:
  using Tick = std::chrono::steady_clock::duration;
  using Instant = std::chrono::steady_clock::time_point;
  static constexpr double kSignalCheckSeconds = 0.1;  // Ctrl-C waits at most this long.

  struct State {
    std::mutex mutex;
    std::condition_variable woken;
    bool awake = false;  // Guarded by mutex.

    void Wake() {
      const std::lock_guard lock(mutex);
      awake = true;
      woken.notify_all();
    }
    bool WaitUntil(Instant end) {
      std::unique_lock lock(mutex);
      woken.wait_until(lock, end, [this] { return awake; });
      return std::exchange(awake, false);
    }
  };

  const std::shared_ptr<OpenDatabase> database_;
  const std::shared_ptr<State> state_;  // Shared with the callback, which may outlast this.
  std::mutex mutex_;
  std::unique_ptr<EventSubscription> subscription_;  // Guarded by mutex_.
};

py::list ReadEvents(const DatabaseHandle& self, std::uint64_t after, std::size_t events_max) {
  const auto events = Take(Enter(
      *self.database, [&](Database& database) { return database.ReadEvents(after, events_max); }));
  py::list made;
  for (const Event& event : events) made.append(EventToDict(event));
  return made;
}

std::uint64_t TrimEvents(const DatabaseHandle& self, const py::object& through,
                         const py::object& older_than, const py::object& keep,
                         const py::object& limit) {
  const auto number = [](const py::object& given) {
    return given.is_none() ? std::nullopt : std::optional(given.cast<std::uint64_t>());
  };
  const EventTrim trim = {.through_sequence = number(through),
                          .older_than = ToOptionalMillis(older_than, "older_than"),
                          .keep_newest = number(keep),
                          .events_max = number(limit)};
  return Take(Enter(*self.database, [&](Database& database) { return database.TrimEvents(trim); }));
}

}  // namespace

void BindEvents(py::module_& module, DatabaseClass& database) {
  py::class_<EventWaiter>(module, "EventWaiter")
      .def(py::init<const DatabaseHandle&>())
      .def("wait", &EventWaiter::Wait, "seconds"_a);
  database.def("_read_events", &ReadEvents)
      .def("_trim_events", &TrimEvents)
      .def("_last_event",
           [](const DatabaseHandle& self) {
             return Take(Enter(*self.database, [](Database& each) -> Result<std::uint64_t> {
               return each.LastEventSequence();
             }));
           })
      .def("_events_trimmed_through", [](const DatabaseHandle& self) {
        return Take(Enter(*self.database, [](Database& each) -> Result<std::uint64_t> {
          return each.EventsTrimmedThrough();
        }));
      });
}

}  // namespace mayfly::python
