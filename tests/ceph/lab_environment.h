// lab_environment.h - one Ceph for all tests of a program, with its data in memory.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "tests/ceph/ceph_lab.h"

namespace mayfly::engine::cluster::suite {

class Lab final : public testing::Environment {
 public:
  void SetUp() override {
    lab_ = std::make_unique<CephLab>(LabOptions{.store = "memstore"});
    store_ = lab_->Connect();
  }
  void TearDown() override {
    store_.reset();
    lab_.reset();
  }

  static CephLab& lab() { return *lab_; }

  // One connection for those who need no other.
  static std::shared_ptr<ObjectStore> store() { return store_; }

 private:
  static inline std::unique_ptr<CephLab> lab_;
  static inline std::shared_ptr<ObjectStore> store_;
};

}  // namespace mayfly::engine::cluster::suite
