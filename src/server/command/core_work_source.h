// core_work_source.h - works on an open database.
#pragma once

#include <memory>

#include "mayfly/database.h"
#include "server/command/work_source.h"

namespace mayfly::server {

class CoreWorkSource final : public WorkSource {
 public:
  // The database must outlive it.
  explicit CoreWorkSource(Database& database) : database_(database) {}

  Result<std::unique_ptr<core::Work>> Begin(const core::WorkScope& scope) override {
    return core::BeginWork(database_, scope);
  }

 private:
  Database& database_;
};

}  // namespace mayfly::server
