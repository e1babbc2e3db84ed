// Iterators over rows. Each step of Python takes one row from a buffer; the cursor fills it with
// many rows at a time, so that the GIL is released and the locks are taken once for all of them.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "rows.h"
#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

// The first rows come at once; a caller that reads on gets more at a time.
constexpr std::size_t kBatchRowsFirst = 8;
constexpr std::size_t kBatchRowsMax = 512;
constexpr std::size_t kBatchBytesMax = std::size_t{1} << 20;

enum class Shows : std::uint8_t { kKeys, kValues, kItems, kRows };

struct Bounds {
  std::string prefix;
  std::string begin;
  std::string end;
  RowFilter filter = RowFilter::kAll;
  std::optional<WallTime> as_of = std::nullopt;
};

class RowIterator final : public Dependent {
 public:
  RowIterator(const Reader& rows, Shows shows, Bounds bounds, bool reverse)
      : Dependent(Rank::kCursor),
        rows_(rows),
        shows_(shows),
        bounds_(std::move(bounds)),
        reverse_(reverse) {
    Check(Read(rows_, [&](const KeyspaceReader& reader) -> Status {
      const CursorOptions options = {.prefix = bounds_.prefix,
                                     .begin = bounds_.begin,
                                     .end = bounds_.end,
                                     .filter = bounds_.filter,
                                     .as_of = bounds_.as_of};
      auto cursor = reader.NewCursor(options);
      if (!cursor) return cursor.error();
      cursor_ = *std::move(cursor);
      Start();
      rows_.database->Register(*this);
      if (rows_.scope != nullptr) rows_.scope->AddCursor(*this);
      return {};
    }));
  }

  ~RowIterator() override { rows_.database->Release(*this); }

  std::shared_mutex* scope_mutex() override {
    return rows_.scope == nullptr ? nullptr : &rows_.scope->mutex();
  }

  void Shut() override {
    const std::lock_guard lock(mutex_);
    if (rows_.scope != nullptr) rows_.scope->RemoveCursor(*this);
    cursor_.reset();
    shut_ = true;
  }

  py::object Next() {
    if (shut_ && !ended_) {
      Raise(
          Status::Invalid("the iterator is closed: it was, or its database, transaction or "
                          "snapshot"));
    }
    if (next_ == batch_.size()) {
      if (ended_) throw py::stop_iteration();
      Fetch();
      if (batch_.empty()) throw py::stop_iteration();
    }
    return ToPython(batch_[next_++]);
  }

  void Seek(Bytes key) {
    if (exhausted_) {
      Raise(
          Status::Invalid("the iterator has reached its end and no longer holds its state: make a "
                          "new one, with begin="));
    }
    Check(Within([&]() -> Status {
      if (reverse_) {
        cursor_->SeekAtOrBefore(key);
      } else {
        cursor_->SeekAtOrAfter(key);
      }
      return cursor_->status();
    }));
    batch_.clear();
    next_ = 0;
    ended_ = false;
  }

  void Close() {
    ended_ = true;
    batch_.clear();
    next_ = 0;
    rows_.database->Release(*this);
  }

 private:
  // One row in text_: where its key begins and ends, and where its value ends.
  struct Slot {
    std::size_t key_begin = 0;
    std::size_t value_begin = 0;
    std::size_t value_end = 0;
    std::optional<WallTime> deadline = std::nullopt;
    std::optional<WallTime> timestamp = std::nullopt;
    bool is_collection = false;
  };

  void Start() {
    if (reverse_) {
      cursor_->SeekToLast();
    } else {
      cursor_->SeekToFirst();
    }
  }

  // Runs `call` when the cursor is open. Releases the GIL.
  template <typename Call>
  Status Within(const Call& call) {
    return Enter(*rows_.database, [&](Database&) -> Status {
      std::unique_lock<std::shared_mutex> scope;
      if (rows_.scope != nullptr) scope = std::unique_lock(rows_.scope->mutex());
      const std::lock_guard lock(mutex_);
      if (cursor_ == nullptr) return Status::Invalid("the iterator is closed");
      return call();
    });
  }

  void Fetch() {
    std::vector<Slot> batch;
    std::string text;
    bool ended = false;
    Check(Within([&]() -> Status {
      while (cursor_->Valid() && batch.size() < rows_max_ && text.size() < kBatchBytesMax) {
        batch.push_back(Copy(text));
        if (reverse_) {
          cursor_->Prev();
        } else {
          cursor_->Next();
        }
      }
      ended = !cursor_->Valid();
      return ended ? cursor_->status() : Status();
    }));
    batch_ = std::move(batch);
    text_ = std::move(text);
    next_ = 0;
    rows_max_ = std::min(rows_max_ * 4, kBatchRowsMax);
    if (!ended) return;
    ended_ = true;
    exhausted_ = true;
    rows_.database->Release(*this);  // The space of what it shows can be reclaimed from here on.
  }

  Slot Copy(std::string& text) const {
    Slot slot;
    slot.key_begin = text.size();
    if (shows_ != Shows::kValues) text.append(cursor_->key());
    slot.value_begin = text.size();
    if (shows_ != Shows::kKeys) text.append(cursor_->value());
    slot.value_end = text.size();
    if (shows_ == Shows::kRows) {
      slot.deadline = cursor_->deadline();
      slot.timestamp = cursor_->timestamp();
      slot.is_collection = cursor_->is_collection();
    }
    return slot;
  }

  py::object ToPython(const Slot& slot) const {
    const Bytes text = text_;
    const auto key = [&] {
      return ToBytes(text.substr(slot.key_begin, slot.value_begin - slot.key_begin));
    };
    const auto value = [&] {
      return ToBytes(text.substr(slot.value_begin, slot.value_end - slot.value_begin));
    };
    switch (shows_) {
      case Shows::kKeys: return key();
      case Shows::kValues: return value();
      case Shows::kItems: return Pair(key(), value());
      case Shows::kRows: break;
    }
    return py::make_tuple(key(), value(), ToDatetime(slot.deadline), ToDatetime(slot.timestamp),
                          slot.is_collection);
  }

  static py::object Pair(py::bytes key, py::bytes value) {
    auto pair = py::reinterpret_steal<py::object>(PyTuple_New(2));
    if (!pair) throw py::error_already_set();
    PyTuple_SET_ITEM(pair.ptr(), 0, key.release().ptr());
    PyTuple_SET_ITEM(pair.ptr(), 1, value.release().ptr());
    return pair;
  }

  const Reader rows_;
  const Shows shows_;
  const Bounds bounds_;
  const bool reverse_;

  std::mutex mutex_;
  std::unique_ptr<Cursor> cursor_;  // Guarded by mutex_.
  std::atomic<bool> shut_ = false;

  // Guarded by the GIL.
  std::size_t rows_max_ = kBatchRowsFirst;
  std::vector<Slot> batch_;
  std::string text_;
  std::size_t next_ = 0;
  bool ended_ = false;
  bool exhausted_ = false;  // Ended, and by itself.
};

std::unique_ptr<RowIterator> NewIterator(const Reader& rows, const std::string& shows,
                                         const BytesArgument& prefix, const BytesArgument& begin,
                                         const BytesArgument& end, bool reverse,
                                         const std::string& only, const py::object& as_of) {
  Bounds bounds{.prefix = std::string(prefix.view()),
                .begin = std::string(begin.view()),
                .end = std::string(end.view())};
  bounds.filter = Choose<RowFilter>(only, "only",
                                    {{"all", RowFilter::kAll},
                                     {"mortal", RowFilter::kMortal},
                                     {"immortal", RowFilter::kImmortal}});
  if (!as_of.is_none()) bounds.as_of = ToInstant(as_of, "as_of");
  const auto what = Choose<Shows>(shows, "shows",
                                  {{"keys", Shows::kKeys},
                                   {"values", Shows::kValues},
                                   {"items", Shows::kItems},
                                   {"rows", Shows::kRows}});
  return std::make_unique<RowIterator>(rows, what, std::move(bounds), reverse);
}

}  // namespace

void BindIterators(py::module_& module) {
  py::class_<RowIterator>(module, "RowIterator")
      .def(py::init(&NewIterator))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", &RowIterator::Next)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](RowIterator& self, const py::args&) { self.Close(); })
      .def(
          "seek", [](RowIterator& self, const BytesArgument& key) { self.Seek(key.view()); },
          "key"_a)
      .def("close", &RowIterator::Close);
}

}  // namespace mayfly::python
