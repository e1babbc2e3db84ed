#include "rdb/value_reader.h"

#include <cmath>
#include <vector>

#include "rdb/packed_lists.h"
#include "rdb/rdb_types.h"
#include "rdb/stream_reader.h"
#include "wire/decimal.h"

namespace mayfly::rdb {
namespace {

using Packed = PackedValues (*)(Bytes, std::uint64_t);

bool ReadStrings(Input& in, ValueSink& sink) {
  std::uint64_t count = 0;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string element;
    in.BeginElement();
    if (!in.String(element) || !in.Take(sink.Element(std::move(element)))) return false;
  }
  return true;
}

// The values of a packed list; they are in memory together.
bool ReadPacked(Input& in, Packed read, std::vector<std::string>& values) {
  std::string packed;
  in.BeginElement();
  if (!in.String(packed)) return false;
  PackedValues unpacked = read(packed, in.budget() / kStringBytes + 1);
  if (!unpacked) return in.Malformed("a packed list cannot be read");
  for (const std::string& value : *unpacked) {
    if (!in.Charge(kStringBytes + value.size())) return false;
  }
  in.Refund(packed.size());  // The packed bytes are freed.
  values = *std::move(unpacked);
  return true;
}

bool ReadPackedElements(Input& in, Packed read, ValueSink& sink) {
  std::vector<std::string> values;
  if (!ReadPacked(in, read, values)) return false;
  for (std::string& value : values) {
    if (!in.Take(sink.Element(std::move(value)))) return false;
  }
  return true;
}

bool ReadListOfZiplists(Input& in, ValueSink& sink) {
  std::uint64_t nodes = 0;
  if (!in.Count(nodes)) return false;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    if (!ReadPackedElements(in, ReadZiplist, sink)) return false;
  }
  return true;
}

bool ReadListOfListpacks(Input& in, ValueSink& sink) {
  constexpr std::uint64_t kPlain = 1;  // A single large element.
  constexpr std::uint64_t kPacked = 2;
  std::uint64_t nodes = 0;
  if (!in.Count(nodes)) return false;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    std::uint64_t container = 0;
    in.BeginElement();
    if (!in.Length(container)) return false;
    if (container == kPlain) {
      std::string element;
      if (!in.String(element) || !in.Take(sink.Element(std::move(element)))) return false;
    } else if (container != kPacked) {
      return in.Malformed("a list has a node of an unknown kind");
    } else if (!ReadPackedElements(in, ReadListpack, sink)) {
      return false;
    }
  }
  return true;
}

bool ReadScores(Input& in, bool decimal, ValueSink& sink) {
  std::uint64_t count = 0;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    double score = 0;
    in.BeginElement();
    if (!in.String(name)) return false;
    if (decimal ? !in.DecimalDouble(score) : !in.Double(score)) return false;
    if (!in.Take(sink.Score(std::move(name), score))) return false;
  }
  return true;
}

bool ReadPackedScores(Input& in, Packed read, ValueSink& sink) {
  std::vector<std::string> values;
  if (!ReadPacked(in, read, values)) return false;
  if (values.size() % 2 != 0) return in.Malformed("a member of a sorted set has no score");
  for (std::size_t i = 0; i < values.size(); i += 2) {
    double score = 0;
    if (!ReadDouble(values[i + 1], score) || std::isnan(score)) {
      return in.Malformed("a score is not a number");
    }
    if (!in.Take(sink.Score(std::move(values[i]), score))) return false;
  }
  return true;
}

bool ReadFields(Input& in, bool with_deadlines, ValueSink& sink) {
  std::int64_t earliest = 0;
  std::uint64_t count = 0;
  if (with_deadlines && !in.Int64(earliest)) return false;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    std::string value;
    std::uint64_t distance = 0;
    in.BeginElement();
    if (with_deadlines && !in.Length(distance)) return false;
    if (!in.String(name) || !in.String(value)) return false;
    std::optional<WallTime> deadline;
    if (distance != 0) {
      std::int64_t ms = 0;
      if (distance > INT64_MAX ||
          __builtin_add_overflow(earliest, static_cast<std::int64_t>(distance - 1), &ms)) {
        return in.Malformed("a field's deadline is out of range");
      }
      deadline = WallTimeFromMs(ms);
    }
    if (!in.Take(sink.Field(std::move(name), std::move(value), deadline))) return false;
  }
  return true;
}

bool ReadPackedFields(Input& in, Packed read, std::size_t columns, ValueSink& sink) {
  std::vector<std::string> values;
  if (!ReadPacked(in, read, values)) return false;
  if (values.size() % columns != 0) return in.Malformed("a field has no value");
  for (std::size_t i = 0; i < values.size(); i += columns) {
    std::optional<WallTime> deadline;
    std::int64_t ms = 0;
    if (columns > 2 && !ReadInteger(values[i + 2], ms)) {
      return in.Malformed("a field's deadline is not a number");
    }
    if (ms != 0) deadline = WallTimeFromMs(ms);
    if (!in.Take(sink.Field(std::move(values[i]), std::move(values[i + 1]), deadline))) {
      return false;
    }
  }
  return true;
}

bool ReadModule(Input& in, ValueSink& sink) {
  std::uint64_t id = 0;
  return in.Length(id) && SkipModuleData(in) && in.Take(sink.Module(ModuleName(id)));
}

}  // namespace

std::string_view NameOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::kString: return "string";
    case ValueKind::kList: return "list";
    case ValueKind::kSet: return "set";
    case ValueKind::kSortedSet: return "zset";
    case ValueKind::kHash: return "hash";
    case ValueKind::kStream: return "stream";
    case ValueKind::kModule: break;
  }
  return "module";
}

std::optional<ValueKind> KindOf(std::uint8_t type) {
  switch (type) {
    case kRdbString: return ValueKind::kString;
    case kRdbList:
    case kRdbListZiplist:
    case kRdbListOfZiplists:
    case kRdbListOfListpacks: return ValueKind::kList;
    case kRdbSet:
    case kRdbSetIntset:
    case kRdbSetListpack: return ValueKind::kSet;
    case kRdbSortedSet:
    case kRdbSortedSetDecimal:
    case kRdbSortedSetZiplist:
    case kRdbSortedSetListpack: return ValueKind::kSortedSet;
    case kRdbHash:
    case kRdbHashZipmap:
    case kRdbHashZiplist:
    case kRdbHashListpack:
    case kRdbHashWithDeadlines:
    case kRdbHashListpackWithDeadlines: return ValueKind::kHash;
    case kRdbStream:
    case kRdbStream2:
    case kRdbStream3: return ValueKind::kStream;
    case kRdbModule: return ValueKind::kModule;
    default: return std::nullopt;
  }
}

bool ReadValue(Input& in, std::uint8_t type, ValueSink& sink) {
  std::string text;
  std::int64_t earliest = 0;
  in.BeginElement();
  switch (type) {
    case kRdbString: return in.String(text) && in.Take(sink.Text(std::move(text)));
    case kRdbList:
    case kRdbSet: return ReadStrings(in, sink);
    case kRdbListZiplist: return ReadPackedElements(in, ReadZiplist, sink);
    case kRdbListOfZiplists: return ReadListOfZiplists(in, sink);
    case kRdbListOfListpacks: return ReadListOfListpacks(in, sink);
    case kRdbSetIntset: return ReadPackedElements(in, ReadIntset, sink);
    case kRdbSetListpack: return ReadPackedElements(in, ReadListpack, sink);
    case kRdbSortedSet:
    case kRdbSortedSetDecimal: return ReadScores(in, type == kRdbSortedSetDecimal, sink);
    case kRdbSortedSetZiplist: return ReadPackedScores(in, ReadZiplist, sink);
    case kRdbSortedSetListpack: return ReadPackedScores(in, ReadListpack, sink);
    case kRdbHash:
    case kRdbHashWithDeadlines: return ReadFields(in, type == kRdbHashWithDeadlines, sink);
    case kRdbHashZipmap: return ReadPackedFields(in, ReadZipmap, 2, sink);
    case kRdbHashZiplist: return ReadPackedFields(in, ReadZiplist, 2, sink);
    case kRdbHashListpack: return ReadPackedFields(in, ReadListpack, 2, sink);
    case kRdbHashListpackWithDeadlines:
      return in.Int64(earliest) && ReadPackedFields(in, ReadListpack, 3, sink);
    case kRdbStream: return ReadStream(in, 1, sink);
    case kRdbStream2: return ReadStream(in, 2, sink);
    case kRdbStream3: return ReadStream(in, 3, sink);
    case kRdbModule: return ReadModule(in, sink);
    default: return in.Malformed("no type has this number");
  }
}

bool SkipModuleData(Input& in) {
  enum Code : std::uint64_t { kEnd, kSigned, kUnsigned, kFloat, kDouble, kString };
  while (true) {
    std::uint64_t code = 0;
    std::uint64_t number = 0;
    std::string text;
    in.BeginElement();
    if (!in.Length(code)) return false;
    switch (code) {
      case kEnd: return true;
      case kSigned:
      case kUnsigned:
        if (!in.Length(number)) return false;
        break;
      case kFloat:
        if (!in.Raw(4, text)) return false;
        break;
      case kDouble:
        if (!in.Raw(8, text)) return false;
        break;
      case kString:
        if (!in.String(text)) return false;
        break;
      default: return in.Malformed("a module's data cannot be read over");
    }
  }
}

// Nine characters of six bits each, then ten bits of a version.
std::string ModuleName(std::uint64_t id) {
  constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string name(9, ' ');
  id >>= 10;
  for (std::size_t i = name.size(); i-- > 0; id >>= 6) name[i] = kCharacters[id & 63];
  return name;
}

}  // namespace mayfly::rdb
