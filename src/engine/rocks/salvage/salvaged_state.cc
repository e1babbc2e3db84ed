#include "engine/rocks/salvage/salvaged_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

// Tables whose index is kept in memory, for lookups one by one.
constexpr std::size_t kOpenTablesMax = 64;

constexpr std::size_t kGivenUpMax = 100;

std::optional<Role> RoleOfFamily(const std::string& family) {
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    if (family == (role == Role::kRows ? std::string("default") : std::string(RoleName(role)))) {
      return role;
    }
  }
  return std::nullopt;
}

// The first and last key that can be read; false when there is none.
bool BoundsOf(const std::shared_ptr<const SoundTable>& opened, SalvagedState::Table& table) {
  TableCursor walk(opened);
  walk.SeekAtOrAfter({});
  if (!walk.Valid()) return false;
  table.smallest = walk.entry().key;
  walk.SeekToLast();
  table.largest = walk.entry().key;
  return true;
}

}  // namespace

Status SalvagedState::Open(bool may_be_empty) {
  std::vector<DirectoryFile> files;
  const rocksdb::Status listed = ListDirectory(env_, directory_, files);
  if (!listed.ok()) return FromRocks(listed, "listing " + directory_);
  const bool any = std::any_of(files.begin(), files.end(), [](const DirectoryFile& file) {
    return file.kind != FileKind::kOther;
  });
  if (!any && !may_be_empty) {
    return Status::NotFound(fmt::format("there is no file of a database in {}", directory_));
  }
  for (const DirectoryFile& file : files) disk_bytes_ += file.bytes;
  std::sort(files.begin(), files.end(),
            [](const DirectoryFile& a, const DirectoryFile& b) { return a.number < b.number; });
  const std::optional<Manifest> manifest = FindManifest(files);
  OpenTables(files, manifest ? &*manifest : nullptr);
  OpenLogs(files, manifest ? &*manifest : nullptr);
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    RoleFiles& role = roles_[i];
    const LoggedRole& logged = logged_[static_cast<Role>(i)];
    role.ranges.insert(role.ranges.end(), logged.ranges.begin(), logged.ranges.end());
    role.cover = RangeCover(role.ranges);
    role.ranges.clear();
    std::sort(role.tables.begin(), role.tables.end(),
              [](const Table& a, const Table& b) { return a.smallest < b.smallest; });
  }
  return {};
}

// The manifest that CURRENT names, or else the newest intact one.
std::optional<Manifest> SalvagedState::FindManifest(const std::vector<DirectoryFile>& files) const {
  if (auto manifest = ReadCurrentManifest(env_, directory_)) return *std::move(manifest);
  Note("CURRENT", "CURRENT, or the list of files that it names, is missing or damaged");
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (file->kind != FileKind::kManifest) continue;
    if (auto manifest = ReadManifest(env_, directory_ + "/" + file->name)) {
      return *std::move(manifest);
    }
  }
  Note("MANIFEST", "no list of files is whole, so every file counts, those too that were replaced");
  return std::nullopt;
}

void SalvagedState::OpenTables(const std::vector<DirectoryFile>& files, const Manifest* manifest) {
  if (manifest == nullptr) {
    for (const DirectoryFile& file : files) {
      if (file.kind == FileKind::kTable) OpenTable(file.number, file.name, nullptr);
    }
    return;
  }
  for (const auto& [number, listed] : manifest->tables) {
    OpenTable(number, fmt::format("{:06}.sst", number), manifest);
  }
}

void SalvagedState::OpenTable(std::uint64_t number, const std::string& name,
                              const Manifest* manifest) {
  const ManifestTable* listed = nullptr;
  std::optional<Role> role;
  if (manifest != nullptr) {
    listed = &manifest->tables.at(number);
    const auto family = manifest->families.find(listed->family);
    if (family != manifest->families.end()) role = RoleOfFamily(family->second.name);
  }
  const auto opened = OpenFile(name);
  const auto give_up = [&](std::string_view why) {
    const std::string of = role ? fmt::format(" of {}", RoleName(*role)) : std::string();
    Note(name, fmt::format("{}{} cannot be read at all: {}", name, of, why));
  };
  if (!opened) return give_up(opened.error().message());
  if (!role && (*opened)->family()) role = RoleOfFamily(*(*opened)->family());
  if (!role) return give_up("nothing tells what it holds");
  RoleFiles& files = roles_[static_cast<std::size_t>(*role)];
  // A tombstone counts only within its file: outside of it, RocksDB may have applied it already,
  // and given newer versions smaller sequence numbers.
  for (RangeTombstone range : (*opened)->range_tombstones()) {
    if (listed != nullptr) {
      range.begin = std::max(range.begin, listed->smallest);
      range.end =
          std::min(range.end, listed->largest_is_end ? listed->largest : listed->largest + '\0');
    }
    if (range.begin < range.end) files.ranges.push_back(std::move(range));
  }
  Table table{.number = number, .name = name, .smallest = {}, .largest = {}};
  if (BoundsOf(*opened, table)) files.tables.push_back(std::move(table));
}

void SalvagedState::OpenLogs(const std::vector<DirectoryFile>& files, const Manifest* manifest) {
  std::map<std::uint64_t, std::uint64_t> missing;
  std::uint64_t newest = 0;  // A lower bound of the current log's number.
  if (manifest != nullptr) {
    missing = manifest->logs;
    newest = NewestLogAtLeast(*manifest);
  }
  if (std::none_of(files.begin(), files.end(), [newest](const DirectoryFile& file) {
        return file.kind == FileKind::kLog && file.number >= newest;
      })) {
    Note("log", "the newest log is missing");
  }
  for (const DirectoryFile& file : files) {
    if (file.kind != FileKind::kLog) continue;
    if (const auto closed = missing.find(file.number); closed != missing.end()) {
      if (file.bytes < closed->second) Note(file.name + "@end", file.name + ": its end is missing");
      missing.erase(closed);
    }
    std::optional<Role> role;
    const auto role_of = [&](std::uint32_t family) -> const Role* {
      role.reset();
      if (manifest != nullptr) {
        const auto found = manifest->families.find(family);
        if (found == manifest->families.end() || file.number < found->second.first_log) {
          return nullptr;
        }
        role = RoleOfFamily(found->second.name);
      } else if (family < kRoleCount) {
        role = static_cast<Role>(family);  // Families are created in this order.
      }
      return role ? &*role : nullptr;
    };
    const auto damaged = logged_.Add(env_, directory_ + "/" + file.name, role_of);
    if (!damaged) {
      Note(file.name, fmt::format("{}: {}", file.name, damaged.error().message()));
      continue;
    }
    for (const FileRange& range : *damaged) {
      Note(fmt::format("{}@{}", file.name, range.offset),
           fmt::format("{}: {} bytes from byte {} on cannot be read", file.name, range.bytes,
                       range.offset));
    }
  }
  for (const auto& lost : missing) {
    const std::uint64_t number = lost.first;
    const std::string name = fmt::format("{:06}.log", number);
    const bool needed =
        std::any_of(manifest->families.begin(), manifest->families.end(),
                    [&](const auto& family) { return number >= family.second.first_log; });
    if (needed) Note(name, name + " is missing");
  }
}

Result<std::shared_ptr<const SoundTable>> SalvagedState::OpenFile(const std::string& name) const {
  return SoundTable::Open(
      env_, directory_ + "/" + name, name,
      [this](const SoundTable::Damage& damage) { Note(damage.where, damage.what); });
}

std::shared_ptr<const SoundTable> SalvagedState::Load(const Table& table) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const auto& open) { return open.first == table.number; });
    if (found != open_.end()) return found->second;
  }
  const auto opened = OpenFile(table.name);
  if (!opened) {
    Note(table.name, fmt::format("{}: {}", table.name, opened.error().message()));
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  open_.emplace_back(table.number, *opened);
  if (open_.size() > kOpenTablesMax) open_.pop_front();
  return *opened;
}

std::vector<std::string> SalvagedState::GivenUp() const {
  const std::lock_guard lock(mutex_);
  return given_up_;
}

void SalvagedState::Note(const std::string& where, const std::string& what) const {
  {
    const std::lock_guard lock(mutex_);
    if (!noted_.insert(where).second) return;
    if (given_up_.size() < kGivenUpMax) given_up_.push_back(what);
  }
  const Status noted = damage_->Note(Status::Corruption(what));
  static_cast<void>(noted);  // Counted and logged; the salvage goes on.
}

}  // namespace mayfly::engine
