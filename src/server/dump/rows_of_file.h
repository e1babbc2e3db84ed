// rows_of_file.h - the keys of an RDB file as rows, large collections in parts of bounded size.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rdb/rdb_reader.h"
#include "server/dump/value_collector.h"

namespace mayfly::server {

// A key with its value, or with a part of its members. Parts of a key come one behind the other.
struct RowPart {
  const rdb::KeyHead& key;
  DumpedValue value;  // May be taken.
  bool first = true;
  bool last = true;
};

// Give it to rdb::ReadRdb(). What the server has no type for is left out and counted.
class RowsOfFile : public Collecting<rdb::FileSink> {
 public:
  // By what it is: "value of module ReJSON-RL", "library of functions".
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }

  // "2 x value of module ReJSON-RL, 1 x library of functions"; empty: nothing was.
  std::string LeftOutText() const;

 protected:
  virtual Status Take(RowPart part) = 0;

  // Leaves the library out.
  Status Function(const std::string& text) override;

 private:
  Status BeginKey(const rdb::KeyHead& key) override;
  Status EndKey() override;
  Status Grown() override;
  Status Module(const std::string& name) override;

  rdb::KeyHead key_;
  bool first_ = true;
  std::map<std::string, std::uint64_t> left_out_;
};

}  // namespace mayfly::server
