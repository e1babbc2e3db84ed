// command_catalog.h - all commands and subcommands, numbered, with the categories ACL rules name.
// A rule is about numbers: a user's permissions are a bit for each. The numbers hold for one run of
// the server; what is stored are names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/command.h"

namespace mayfly::server {

// A bit for each, in the order of AclCategoryNames().
using AclCategories = std::uint32_t;

// "keyspace", "read", ... as ACL CAT lists them.
std::span<const std::string_view> AclCategoryNames();

// The bit of a category, in whatever case it is written; 0 if there is none of this name.
AclCategories AclCategoryOf(Bytes name);

class CommandCatalog {
 public:
  struct Entry {
    std::string name;  // Of a subcommand: "config|get".
    const CommandSpec* spec;
    std::optional<std::size_t> parent;
    std::vector<std::size_t> subcommands;
    AclCategories categories;
  };

  // The families' tables must outlive it.
  explicit CommandCatalog(std::span<const CommandFamily> families);

  std::span<const Entry> entries() const { return entries_; }
  const Entry& operator[](std::size_t index) const { return entries_[index]; }
  std::size_t size() const { return entries_.size(); }

  // By a name such as "get" or "config|get", in whatever case.
  std::optional<std::size_t> Find(Bytes name) const;

  // Of a line of the tables; asking for another is a fault of ours.
  std::size_t IndexOf(const CommandSpec& spec) const;

 private:
  std::size_t Add(const CommandSpec& spec, std::string name, Category family);

  std::vector<Entry> entries_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::unordered_map<const CommandSpec*, std::size_t> by_spec_;
};

// In lower case, for ASCII letters.
std::string LowerCase(Bytes text);

}  // namespace mayfly::server
