#include "rdb/rdb_reader.h"

#include <fmt/format.h>

#include <charconv>

#include "rdb/rdb_types.h"

namespace mayfly::rdb {
namespace {

constexpr std::uint64_t kDatabaseMax = 1'000'000;

class Reading {
 public:
  Reading(Input& in, FileSink& sink) : in_(in), sink_(sink) {}

  bool Run() {
    if (!ReadMagic()) return false;
    std::uint8_t code = 0;
    while (true) {
      in_.BeginElement();
      if (!in_.Byte(code)) return false;
      if (code == kRdbEnd) return CheckSum();
      if (!(code >= kRdbSlotInfo ? ReadBetween(code) : ReadKey(code))) return false;
    }
  }

 private:
  bool ReadMagic() {
    constexpr Bytes kMagic = "REDIS";
    std::string text;
    if (!in_.Raw(kMagic.size() + 4, text)) return false;
    if (!text.starts_with(kMagic)) return in_.Malformed("this is not an RDB file");
    const char* const digits = text.data() + kMagic.size();
    const char* const end = text.data() + text.size();
    if (const auto [stop, error] = std::from_chars(digits, end, version_);
        error != std::errc() || stop != end || version_ < 1) {
      return in_.Malformed("the version of the RDB file is not a number");
    }
    if (version_ <= kRdbVersionMax) return true;
    return in_.Fail(Status::Unsupported(
        fmt::format("the RDB file has version {}; versions up to {} are read, that of Redis 7.4",
                    version_, kRdbVersionMax)));
  }

  // 0: the server that wrote it had checksums turned off.
  bool CheckSum() {
    constexpr int kFirstWithChecksum = 5;
    if (version_ < kFirstWithChecksum) return true;
    const std::uint64_t expected = in_.Checksum();
    std::int64_t stored = 0;
    if (!in_.Int64(stored)) return false;
    return stored == 0 || static_cast<std::uint64_t>(stored) == expected ||
           in_.Malformed("the checksum of the RDB file is wrong");
  }

  bool ReadBetween(std::uint8_t code) {
    std::uint64_t numbers[3] = {};
    std::uint8_t byte = 0;
    std::int32_t seconds = 0;
    std::int64_t ms = 0;
    std::string name;
    std::string text;
    switch (code) {
      case kRdbDatabase:
        if (!in_.Length(numbers[0])) return false;
        if (numbers[0] > kDatabaseMax) return in_.Malformed("no database has such a number");
        key_.database = static_cast<int>(numbers[0]);
        return true;
      case kRdbSizes: return in_.Length(numbers[0]) && in_.Length(numbers[1]);
      case kRdbSlotInfo:
        return in_.Length(numbers[0]) && in_.Length(numbers[1]) && in_.Length(numbers[2]);
      case kRdbDeadlineMs:
        if (!in_.Int64(ms)) return false;
        key_.deadline = WallTimeFromMs(ms);
        return true;
      case kRdbDeadlineSeconds:
        if (!in_.Int32(seconds)) return false;
        key_.deadline = WallTimeFromMs(std::int64_t{seconds} * 1000);
        return true;
      case kRdbIdle: return in_.Length(numbers[0]);
      case kRdbFrequency: return in_.Byte(byte);
      case kRdbAux: return in_.String(name) && in_.String(text) && in_.Take(sink_.Aux(name, text));
      case kRdbFunction: return in_.String(text) && in_.Take(sink_.Function(text));
      case kRdbModuleAux:
        // The id, and when the module wanted it written.
        return in_.Length(numbers[0]) && in_.Length(numbers[1]) && in_.Length(numbers[2]) &&
               SkipModuleData(in_) && in_.Take(sink_.ModuleAux(ModuleName(numbers[0])));
      default: return in_.Malformed("neither a key nor anything known is here");
    }
  }

  bool ReadKey(std::uint8_t type) {
    const auto kind = KindOf(type);
    if (!kind) return in_.Malformed("no type has this number");
    key_.kind = *kind;
    if (!in_.String(key_.name) || !in_.Take(sink_.BeginKey(key_))) return false;
    if (!ReadValue(in_, type, sink_) || !in_.Take(sink_.EndKey())) return false;
    key_.deadline.reset();
    return true;
  }

  Input& in_;
  FileSink& sink_;
  int version_ = 0;
  KeyHead key_;
};

}  // namespace

Status ReadRdb(Input& in, FileSink& sink) {
  return Reading(in, sink).Run() ? Status() : in.status();
}

}  // namespace mayfly::rdb
