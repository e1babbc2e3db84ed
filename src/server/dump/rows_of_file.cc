#include "server/dump/rows_of_file.h"

#include <fmt/format.h>

#include <utility>

namespace mayfly::server {
namespace {

constexpr std::size_t kPartBytesMax = std::size_t{1} << 20;

}  // namespace

Status RowsOfFile::BeginKey(const rdb::KeyHead& key) {
  key_ = key;
  first_ = true;
  if (const auto type = TypeOfKind(key.kind)) Clear(*type);
  return {};
}

Status RowsOfFile::Grown() {
  if (bytes() < kPartBytesMax) return {};
  const types::ValueType type = value().type;
  const Status taken = Take({key_, std::move(value()), std::exchange(first_, false), false});
  Clear(type);
  return taken;
}

Status RowsOfFile::EndKey() {
  if (!TypeOfKind(key_.kind)) return {};
  return Take({key_, std::move(value()), first_, true});
}

Status RowsOfFile::Module(const std::string& name) {
  ++left_out_[fmt::format("value of module {}", name)];
  return {};
}

Status RowsOfFile::Function(const std::string& /*text*/) {
  ++left_out_["library of functions"];
  return {};
}

std::string RowsOfFile::LeftOutText() const {
  std::string text;
  for (const auto& [what, count] : left_out_) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, what);
  }
  return text;
}

}  // namespace mayfly::server
