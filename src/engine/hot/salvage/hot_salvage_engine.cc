#include "engine/hot/salvage/hot_salvage_engine.h"

#include <utility>

#include "base/log.h"
#include "engine/hot/fold_marker.h"
#include "engine/hot/log/change_codec.h"
#include "engine/hot/log/log_salvage.h"
#include "engine/hot/reading_engine.h"
#include "engine/hot/replay.h"

namespace mayfly::engine {
namespace {

using hot::HotRows;
using hot::Sequence;

constexpr std::size_t kGivenUpMax = 100;

struct Salvaged {
  std::unique_ptr<Engine> cold;
  std::shared_ptr<HotRows> rows;  // Shared with states that read it.
  hot::SalvagedLog log;
};

class HotSalvageEngine final : public hot::ReadingEngine {
 public:
  HotSalvageEngine(const RocksOptions& options, Salvaged salvaged)
      : ReadingEngine("hot at " + options.directory, {.persistent = true, .writable = false}),
        logger_(options.logger != nullptr ? *options.logger : SilentLogger()),
        salvaged_(std::move(salvaged)) {}

  ~HotSalvageEngine() override {
    if (const Status closed = CloseAtDestruction(); !closed.ok()) {
      Log(logger_, LogLevel::kError, "{}", closed.ToString());
    }
  }

  std::shared_ptr<const crypto::DatabaseKey> encryption_key() const override {
    return salvaged_.cold->encryption_key();
  }

 private:
  std::shared_ptr<const HotRows> rows() const override { return salvaged_.rows; }

  Result<EngineStats> DoStats() const override {
    MAYFLY_TRY(EngineStats stats, salvaged_.cold->Stats());
    const hot::SalvagedLog& log = salvaged_.log;
    stats.disk_bytes += log.bytes;
    stats.memory_bytes += salvaged_.rows->index.memory().used_bytes;
    stats.last_commit = salvaged_.rows->index.visible();
    stats.damage_seen += log.places;
    if (stats.first_damage.empty() && !log.lost.empty()) stats.first_damage = log.lost.front();
    for (const std::string& lost : log.lost) {
      if (stats.given_up.size() < kGivenUpMax) stats.given_up.push_back(lost);
    }
    return stats;
  }

  Result<std::vector<FileInfo>> DoFiles(Role role) const override {
    return salvaged_.cold->Files(role);
  }
  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override {
    return salvaged_.cold->Find(needle, traces_max, progress);  // Refuses.
  }

  Status DoClose() override {
    salvaged_.rows.reset();  // Its views read the cold store.
    return salvaged_.cold->Close();
  }

  Logger& logger_;
  Salvaged salvaged_;
};

// The changes of a record are decoded twice: one that is damaged changes nothing.
Status CheckDecodes(Bytes payload) {
  return hot::DecodePayload(
      payload, [](const Batch::Change&) { return Status(); }, [](Bytes) { return Status(); });
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenHotSalvageEngine(const RocksOptions& options,
                                                     std::size_t reserved_bytes) {
  RocksOptions below = options;
  below.salvage = true;
  below.beneath_log = true;
  Salvaged salvaged;
  MAYFLY_TRY(salvaged.cold, OpenRocksEngine(below));
  const auto key = salvaged.cold->encryption_key();
  const auto files =
      hot::NewLogFiles(options.directory + "/" + kHotLogFolder, hot::LogAccess::kRead);
  MAYFLY_TRY(const Sequence folded, hot::ReadFoldMarker(*files));

  std::unique_ptr<hot::Replay> replay;
  const auto begin = [&](Sequence before_first) {
    salvaged.rows = std::make_shared<HotRows>(hot::HotIndexOptions{
        .bytes_max = reserved_bytes, .huge_pages = false, .visible = before_first});
    salvaged.rows->is_resident = false;
    // All range deletes of the log count.
    salvaged.rows->views = std::make_unique<hot::ColdViews>(*salvaged.cold, before_first);
    replay = std::make_unique<hot::Replay>(*salvaged.rows, /*wipe_freed=*/true);
  };
  const auto apply = [&](const hot::LogRecord& record) -> Status {
    MAYFLY_RETURN_IF_ERROR(CheckDecodes(record.payload));
    if (replay == nullptr) begin(record.sequence - 1);
    return replay->Apply(record);
  };
  MAYFLY_TRY(
      salvaged.log,
      hot::SalvageLog(
          {.files = files.get(), .key = key.get(), .folder = kHotLogFolder, .folded = folded},
          apply));
  if (replay == nullptr) begin(folded);
  return std::unique_ptr<Engine>(std::make_unique<HotSalvageEngine>(options, std::move(salvaged)));
}

}  // namespace mayfly::engine
