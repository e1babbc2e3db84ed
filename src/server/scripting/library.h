// library.h - libraries of functions that can be called, and the catalogue of all of them.
// A catalogue is what the rows of library_rows.h mean at one moment, and never changes; the mark
// says at which. Names of libraries are exact, names of functions are in any case, as in Redis.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/status.h"
#include "server/functions/library_rows.h"
#include "server/scripting/script.h"

namespace mayfly::server {

struct FunctionInfo {
  std::string name;
  std::optional<std::string> description;
  ScriptFlags flags;
};

struct Library {
  std::string name;
  std::string text;  // As it was loaded.
  std::string body;  // As it is compiled.
  std::string sha;   // Of the text: names its functions in a Lua state.
  std::vector<FunctionInfo> functions = {};
};

class Catalogue {
 public:
  explicit Catalogue(std::string mark = {}) : mark_(std::move(mark)) {}

  const std::string& mark() const { return mark_; }
  void set_mark(std::string mark) { mark_ = std::move(mark); }

  // Invalid, in Redis' words, when there is such a library or one with such a function.
  Status Add(std::shared_ptr<const Library> library);
  void Remove(Bytes name);

  bool Has(Bytes name) const { return libraries_.contains(name); }
  const std::map<std::string, std::shared_ptr<const Library>, std::less<>>& libraries() const {
    return libraries_;
  }
  std::size_t function_count() const { return functions_.size(); }

  // Null: there is no such function.
  std::shared_ptr<const Script> Function(Bytes name) const;

  LibraryTexts texts() const;

 private:
  std::string mark_;
  std::map<std::string, std::shared_ptr<const Library>, std::less<>> libraries_;
  std::map<std::string, std::shared_ptr<const Script>, std::less<>> functions_;  // Lower case.
};

}  // namespace mayfly::server
