// SPDX-License-Identifier: Apache-2.0
#include "cluster/allow_list.hh"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/unique_fd.hh"

namespace rackway::cluster {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNameSize = 6;
constexpr std::uintmax_t kMostBytes = 64u << 10;
constexpr std::string_view kAllowed = "allowed ", kRevoked = "revoked ";

// As in the cluster document; also keeps a name from leaving the folder.
bool is_node_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kMostNameSize && std::ranges::all_of(name, good);
}

struct NodeKeyLines {
  std::set<PublicKey> allowed, revoked;
};

std::string errno_text() {
  return std::strerror(errno);
}

// Who may write there says who is let in.
std::optional<std::string> owner_fault(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno_text();
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    return fmt::format("it belongs to user {}; chown it to yours or to root", status.st_uid);
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fmt::format("others can write to it (mode {:04o}); chmod go-w", status.st_mode & 07777);
  }
  return std::nullopt;
}

Result<NodeKeyLines> parse_lines(std::istream& in) {
  NodeKeyLines lines;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const bool allowed = line.starts_with(kAllowed);
    if (!allowed && !line.starts_with(kRevoked)) {
      return fail(fmt::format("line {} is neither `allowed KEY` nor `revoked KEY`", number));
    }
    const auto key = parse_public_key(std::string_view(line).substr(kAllowed.size()));
    if (!key) return tl::unexpected(key.error().within(fmt::format("the key of line {}", number)));
    (allowed ? lines.allowed : lines.revoked).insert(*key);
  }
  return lines;
}

Result<NodeKeyLines> read_node(const fs::path& file) {
  if (const auto fault = owner_fault(file)) return fail(*fault);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) return fail(error.message());
  if (size > kMostBytes) return fail("it is too large");
  std::ifstream in(file);
  if (!in) return fail(errno_text());
  return parse_lines(in);
}

// The names of all files but hidden ones, sorted.
Result<std::vector<std::string>> names_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with('.')) names.push_back(name);
  }
  if (error) return fail(folder.string() + ": " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

void add(AllowList& list, const std::string& node, const NodeKeyLines& lines,
         std::set<PublicKey>& of_two) {
  for (const auto& key : lines.allowed) {
    const auto [other, is_new] = list.allowed.emplace(key, node);
    if (is_new) continue;
    of_two.insert(key);
    list.faults.push_back(fmt::format("the key {} is of {} and of {}: neither is let in by it",
                                      key.text(), other->second, node));
  }
  for (const auto& key : lines.revoked) list.revoked.emplace(key, node);
}

// Held while a file is replaced.
Result<UniqueFd> locked(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::flock(fd.get(), LOCK_EX) != 0) return fail(folder.string() + ": " + errno_text());
  return fd;
}

Result<void> replace(const fs::path& folder, int folder_fd, const std::string& node,
                     const NodeKeyLines& lines) {
  std::string text;
  for (const auto& key : lines.allowed) text += std::string(kAllowed) + key.text() + "\n";
  for (const auto& key : lines.revoked) text += std::string(kRevoked) + key.text() + "\n";
  const auto scratch = folder / ("." + node);  // nobody else's: the folder is locked
  const UniqueFd fd(
      ::open(scratch.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  const bool done =
      fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(fd.get()) == 0 && ::rename(scratch.c_str(), (folder / node).c_str()) == 0 &&
      ::fsync(folder_fd) == 0;
  if (done) return {};
  const auto why = fail((folder / node).string() + ": " + errno_text());
  ::unlink(scratch.c_str());
  return why;
}

Result<NodeKeyLines> lines_of(const fs::path& folder, const std::string& node) {
  if (!is_node_name(node)) return fail("'" + node + "' is not the name of a node");
  if (!fs::exists(folder / node)) return NodeKeyLines{};
  auto lines = read_node(folder / node);
  if (!lines) return tl::unexpected(lines.error().within((folder / node).string()));
  return lines;
}

}  // namespace

Result<AllowList> read_allow_list(const fs::path& folder) {
  if (const auto fault = owner_fault(folder)) return fail(folder.string() + ": " + *fault);
  const auto names = names_in(folder);
  if (!names) return tl::unexpected(names.error());
  AllowList list;
  std::set<PublicKey> of_two;
  for (const auto& name : *names) {
    const auto lines = lines_of(folder, name);
    if (lines) {
      add(list, name, *lines, of_two);
    } else {
      list.faults.push_back(lines.error().message);
    }
  }
  for (const auto& key : of_two) list.allowed.erase(key);
  return list;
}

std::string state_of_allow_list(const fs::path& folder) {
  std::string state;
  const auto add_status = [&](const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) status = {};
    state += fmt::format("{} {} {}.{} {} {} {}\n", path.filename().string(), status.st_ino,
                         status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size,
                         status.st_mode, status.st_uid);
  };
  add_status(folder);
  if (const auto names = names_in(folder)) {
    for (const auto& name : *names) add_status(folder / name);
  }
  return state;
}

Result<void> allow_key(const fs::path& folder, const std::string& node, const PublicKey& key) {
  std::error_code error;
  if (fs::create_directories(folder, error) && !error) {
    fs::permissions(folder, fs::perms(0755), error);  // whatever the umask leaves to others
  }
  if (error) return fail(folder.string() + ": " + error.message());
  const auto lock = locked(folder);
  if (!lock) return tl::unexpected(lock.error());
  const auto list = read_allow_list(folder);
  if (!list) return tl::unexpected(list.error());
  auto lines = lines_of(folder, node);
  if (!lines) return tl::unexpected(lines.error());
  if (const auto owner = list->allowed.find(key);
      owner != list->allowed.end() && owner->second != node) {
    return fail("it is the key of node " + owner->second + "; every node has its own");
  }
  lines->allowed.insert(key);
  lines->revoked.erase(key);
  return replace(folder, lock->get(), node, *lines);
}

Result<void> revoke_keys(const fs::path& folder, const std::string& node,
                         const std::optional<PublicKey>& key) {
  const auto lock = locked(folder);
  if (!lock) return tl::unexpected(lock.error());
  auto lines = lines_of(folder, node);
  if (!lines) return tl::unexpected(lines.error());
  if (lines->allowed.empty() || (key && !lines->allowed.contains(*key))) {
    return fail("node " + node + " has no such key allowed in " + folder.string());
  }
  if (key) {
    lines->allowed.erase(*key);
    lines->revoked.insert(*key);
  } else {
    lines->revoked.merge(lines->allowed);
    lines->allowed.clear();
  }
  return replace(folder, lock->get(), node, *lines);
}

}  // namespace rackway::cluster
