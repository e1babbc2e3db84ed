// What a key of 16 bytes with a value of 100 costs in memory: a database in memory in a process of its
// own, beside redis-server, by what the system says that the processes have.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/temporary_directory.h"
#include "hot_bounds.h"
#include "must.h"
#include "peer_process.h"

namespace mayfly::bench {
namespace {

constexpr int kConnectTriesMax = 200;
constexpr std::size_t kPipeline = 1000;

std::string KeyNumber(std::size_t i) { return fmt::format("key:{:012}", i); }
std::string ValueNumber(std::size_t i) { return fmt::format("{:0100}", i); }

// redis-server on a socket, without a log.
class RedisProcess {
 public:
  explicit RedisProcess(const std::string& directory) {
    const std::string path = directory + "/redis.sock";
    std::fflush(stdout);
    pid_ = ::fork();
    Must(pid_ >= 0, "no process");
    if (pid_ == 0) {
      Must(std::freopen("/dev/null", "w", stdout) != nullptr, "no /dev/null");
      ::execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", path.c_str(), "--dir",
               directory.c_str(), "--save", "", "--appendonly", "no", nullptr);
      GiveUp("redis-server does not start");
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    for (int i = 0; i < kConnectTriesMax; ++i) {
      if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return;
      SleepSeconds(0.05);
    }
    GiveUp("redis-server does not answer");
  }
  ~RedisProcess() {
    ::close(socket_);
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;

  void Load(std::size_t rows, bool with_ttl) const {
    for (std::size_t i = 0; i < rows;) {
      std::string commands;
      std::size_t replies = 0;
      for (; i < rows && replies < kPipeline; ++i, ++replies) {
        commands += fmt::format("SET {} {}{}\r\n", KeyNumber(i), ValueNumber(i),
                                with_ttl ? fmt::format(" EX {}", 100'000 + i) : "");
      }
      Must(::send(socket_, commands.data(), commands.size(), 0) ==
               static_cast<ssize_t>(commands.size()),
           "redis-server takes no commands");
      for (std::size_t bytes = 5 * replies; bytes > 0;) {  // +OK\r\n each.
        char reply[4096];
        const ssize_t got = ::recv(socket_, reply, std::min(bytes, sizeof(reply)), 0);
        Must(got > 0 && reply[0] != '-', "redis-server refuses");
        bytes -= static_cast<std::size_t>(got);
      }
    }
  }
  std::uint64_t Resident() const { return ResidentBytesOf(std::to_string(pid_)); }

 private:
  pid_t pid_ = 0;
  int socket_ = -1;
};

double RedisBytes(std::size_t rows, bool with_ttl) {
  const TemporaryDirectory directory;
  const RedisProcess redis(directory.path());
  const std::uint64_t before = redis.Resident();
  redis.Load(rows, with_ttl);
  return static_cast<double>(redis.Resident() - before) / static_cast<double>(rows);
}

double OwnBytes(std::size_t rows, bool with_ttl) {
  int result[2];
  Must(::pipe(result) == 0, "no pipe");
  std::fflush(stdout);
  const pid_t child = ::fork();
  Must(child >= 0, "no process");
  if (child == 0) {
    const auto database = Must(Database::Open({}));
    Keyspace& keyspace = database->default_keyspace();
    const WallTime now = SystemClock::Process().Now();
    const std::uint64_t before = ResidentBytesOf("self");
    for (std::size_t i = 0; i < rows; ++i) {
      Must(keyspace.Put(KeyNumber(i), ValueNumber(i),
                        with_ttl ? Lifetime::Until(now + std::chrono::seconds(100'000 + i))
                                 : Lifetime::Forever()));
    }
    const std::uint64_t bytes = ResidentBytesOf("self") - before;
    Must(::write(result[1], &bytes, sizeof(bytes)) == sizeof(bytes), "no pipe");
    ::_exit(0);
  }
  std::uint64_t bytes = 0;
  Must(::read(result[0], &bytes, sizeof(bytes)) == sizeof(bytes), "the database failed");
  ::waitpid(child, nullptr, 0);
  ::close(result[0]);
  ::close(result[1]);
  return static_cast<double>(bytes) / static_cast<double>(rows);
}

}  // namespace

void RunMemoryPerKey(const BoundsContext& context) {
  for (const bool with_ttl : {false, true}) {
    const double own = OwnBytes(context.rows, with_ttl);
    const double redis = RedisBytes(context.rows, with_ttl);
    context.verdicts.AtMost(fmt::format("{} ttl: {:.0f} bytes, Redis {:.0f}",
                                        with_ttl ? "with" : "without", own, redis),
                            own / redis, 1.0);
  }
}

}  // namespace mayfly::bench
