#include "dynamo/tables/arn.h"

#include <fmt/format.h>

namespace mayfly::dynamo {
namespace {

constexpr std::string_view kTable = ":table/";
constexpr std::string_view kStream = "/stream/";

Refusal NoArn(std::string_view arn) {
  return Invalid(fmt::format("Invalid ResourceArn provided as input {}", arn));
}

}  // namespace

std::string TableArn(std::string_view region, std::string_view table) {
  return fmt::format("arn:aws:dynamodb:{}:000000000000:table/{}", region, table);
}

std::string IndexArn(std::string_view region, std::string_view table, std::string_view index) {
  return fmt::format("{}/index/{}", TableArn(region, table), index);
}

std::string StreamArn(std::string_view region, std::string_view table, std::string_view label) {
  return fmt::format("{}/stream/{}", TableArn(region, table), label);
}

Outcome<StreamName> ReadStreamArn(std::string_view arn) {
  const std::size_t table = arn.find(kTable);
  const std::size_t stream = arn.find(kStream);
  if (!arn.starts_with("arn:aws:dynamodb:") || table == std::string_view::npos ||
      stream == std::string_view::npos || stream < table) {
    return Invalid(fmt::format("Invalid StreamArn: {}", arn));
  }
  const std::size_t name = table + kTable.size();
  return StreamName{std::string(arn.substr(name, stream - name)),
                    std::string(arn.substr(stream + kStream.size()))};
}

Outcome<std::string> ReadTableArn(std::string_view arn) {
  const std::size_t table = arn.find(kTable);
  if (!arn.starts_with("arn:aws:dynamodb:") || table == std::string_view::npos) return NoArn(arn);
  const std::string_view name = arn.substr(table + kTable.size());
  if (name.empty() || name.find('/') != std::string_view::npos) return NoArn(arn);
  return std::string(name);
}

}  // namespace mayfly::dynamo
