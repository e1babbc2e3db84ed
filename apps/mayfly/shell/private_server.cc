#include "apps/mayfly/shell/private_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <thread>

#include "apps/mayfly/cli/commands.h"
#include "apps/mayfly/serve/serve.h"
#include "apps/mayfly/target/new_folder.h"
#include "base/temporary_directory.h"
#include "server/config/config.h"
#include "server/databases/databases.h"
#include "server/net/network.h"

namespace mayfly::app {
namespace {

class PrivateServerImpl final : public PrivateServer {
 public:
  explicit PrivateServerImpl(const TargetFlags& flags) : data_(flags.target) {
    flags_.settings = {{"dir", flags.target},
                       {"bind", ""},
                       {"unixsocket", folder_.Inside("socket")},
                       {"unixsocketperm", "700"},
                       {"http-port", "-1"},
                       {"threads", "1"},
                       {"loglevel", "nothing"},
                       {"memory-profile", "default"},
                       {"disk-reserve", "0"}};
    if (!flags.key_file.empty())
      flags_.settings.emplace_back("encryption-key-file", flags.key_file);
    flags_.when_ready = [this](server::Network& network) {
      was_ready_ = true;
      data_.Keep();
      ready_.set_value(&network);
    };
  }

  ~PrivateServerImpl() override {
    if (network_ != nullptr) network_->Stop();
    if (thread_.joinable()) thread_.join();
  }

  // Returns when clients can connect, or it failed.
  Status Run() {
    MAYFLY_RETURN_IF_ERROR(LoadSettings(flags_, config_));
    auto ready = ready_.get_future();
    thread_ = std::thread([this] {
      const Status served = RunServe(flags_, "mayfly " MAYFLY_VERSION, config_);
      if (was_ready_) {
        if (!served.ok()) PrintError(served);
        return;
      }
      failure_ = served;
      ready_.set_value(nullptr);
    });
    network_ = ready.get();
    // Another process may have made it at the same moment.
    if (failure_.code() == StatusCode::kBusy) data_.Keep();
    return failure_;
  }

  std::string url() const override { return "unix://" + folder_.Inside("socket"); }

 private:
  NewFolder data_;  // Nothing is left of a database that could not be served.
  const TemporaryDirectory folder_;
  ServeFlags flags_;
  server::Config config_;
  std::promise<server::Network*> ready_;
  server::Network* network_ = nullptr;  // Null: it has failed before it was ready.
  bool was_ready_ = false;              // On the serving thread.
  Status failure_;                      // Set before ready_, read behind it.
  std::thread thread_;
};

Status CheckWasServed(const TargetFlags& flags) {
  std::error_code ignored;
  if (!std::filesystem::exists(flags.target, ignored) && flags.create) return {};
  MAYFLY_TRY(const auto target, OpenTarget(flags, Access::kRead));
  MAYFLY_TRY(const Statistics statistics, target->Stats());
  std::uint64_t rows = 0;
  for (const KeyspaceStatistics& one : statistics.keyspaces) {
    if (one.name == server::kServerKeyspace) return {};
    rows += one.rows;
  }
  if (rows == 0) return {};
  return Status::Unsupported(fmt::format(
      "{} was written by a program and not by a server: its keyspaces are no numbered databases. "
      "Use mayfly get, scan and the like",
      flags.target));
}

}  // namespace

Result<std::unique_ptr<PrivateServer>> PrivateServer::Start(const TargetFlags& flags) {
  MAYFLY_RETURN_IF_ERROR(CheckWasServed(flags));
  auto server = std::make_unique<PrivateServerImpl>(flags);
  MAYFLY_RETURN_IF_ERROR(server->Run());
  return std::unique_ptr<PrivateServer>(std::move(server));
}

}  // namespace mayfly::app
