#include "server/scripting/library.h"

#include <fmt/format.h>

#include "base/text.h"

namespace mayfly::server {

Status Catalogue::Add(std::shared_ptr<const Library> library) {
  if (Has(library->name)) {
    return Status::Invalid(fmt::format("Library '{}' already exists", library->name));
  }
  for (const FunctionInfo& function : library->functions) {
    if (!functions_.contains(ToLower(function.name))) continue;
    return Status::Invalid(fmt::format("Function {} already exists", function.name));
  }
  for (const FunctionInfo& function : library->functions) {
    auto script = std::make_shared<Script>();
    script->sha = function.name;
    script->flags = function.flags;
    script->flags.declared = true;
    script->library = library;
    functions_.emplace(ToLower(function.name), std::move(script));
  }
  libraries_.emplace(library->name, std::move(library));
  return {};
}

void Catalogue::Remove(Bytes name) {
  const auto found = libraries_.find(name);
  if (found == libraries_.end()) return;
  for (const FunctionInfo& function : found->second->functions) {
    functions_.erase(ToLower(function.name));
  }
  libraries_.erase(found);
}

std::shared_ptr<const Script> Catalogue::Function(Bytes name) const {
  const auto found = functions_.find(ToLower(name));
  return found == functions_.end() ? nullptr : found->second;
}

LibraryTexts Catalogue::texts() const {
  LibraryTexts texts;
  for (const auto& [name, library] : libraries_) texts.emplace(name, library->text);
  return texts;
}

}  // namespace mayfly::server
