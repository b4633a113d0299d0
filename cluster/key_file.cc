// SPDX-License-Identifier: Apache-2.0
#include "cluster/key_file.hh"

#include <fcntl.h>
#include <fmt/core.h>
#include <string.h>  // explicit_bzero
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/unique_fd.hh"

namespace rackway::cluster {
namespace {

constexpr std::size_t kMostBytes = 1024;
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
constexpr std::string_view kHead =
    "# A Rackway key. The secret half stays here; `rackway key show` tells the public one.\n";
constexpr std::string_view kPublic = "public ", kSecret = "secret ";

// The content of a small file, wiped with this object.
struct Content {
  std::array<char, kMostBytes + 1> bytes{};
  std::size_t size = 0;
  ~Content() { ::explicit_bzero(bytes.data(), bytes.size()); }
  [[nodiscard]] std::string_view text() const { return {bytes.data(), size}; }
};

tl::unexpected<Error> refuse(const std::filesystem::path& file, const std::string& what) {
  return fail(file.string() + ": " + what);
}

tl::unexpected<Error> refuse_by_errno(const std::filesystem::path& file) {
  return refuse(file, std::strerror(errno));
}

Result<void> read(const std::filesystem::path& file, int fd, Content& content) {
  while (content.size < content.bytes.size()) {
    const auto got =
        ::read(fd, content.bytes.data() + content.size, content.bytes.size() - content.size);
    if (got < 0) return refuse_by_errno(file);
    if (got == 0) return {};
    content.size += static_cast<std::size_t>(got);
  }
  return refuse(file, "it is too large to be a key");
}

Result<void> check_owner(const std::filesystem::path& file, const struct stat& status) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    return refuse(
        file, fmt::format("it belongs to user {}; chown it to yours or to root", status.st_uid));
  }
  if ((status.st_mode & kOthers) != 0) {
    return refuse(file, fmt::format("others can read it or write to it (mode {:04o}); take a new "
                                    "key if somebody may have, else chmod 600",
                                    status.st_mode & 07777));
  }
  return {};
}

Result<void> read_small(const std::filesystem::path& file, bool owner_only, Content& content) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return refuse_by_errno(file);
  if (!S_ISREG(status.st_mode)) return refuse(file, "it is not a file");
  if (owner_only) {
    if (auto owned = check_owner(file, status); !owned) return owned;
  }
  return read(file, fd.get(), content);
}

// What follows `word` in the text's only line that begins with it; nothing if there is no such
// line.
struct Lines {
  std::optional<std::string_view> open, secret;
  std::optional<std::string> fault;
};

Lines split(std::string_view text) {
  Lines lines;
  for (int number = 1; !text.empty(); ++number) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with(kPublic) && !lines.open) {
      lines.open = line.substr(kPublic.size());
    } else if (line.starts_with(kSecret) && !lines.secret) {
      lines.secret = line.substr(kSecret.size());
    } else {
      lines.fault = fmt::format("line {} is not one of a key", number);
      return lines;
    }
  }
  if (!lines.open) lines.fault = "it has no public half: it is cut short or no key file";
  if (!lines.secret) lines.fault = "it has no secret half: it is cut short or no key file";
  return lines;
}

}  // namespace

Result<KeyPair> read_key_file(const std::filesystem::path& file) {
  Content content;
  if (auto done = read_small(file, true, content); !done) return tl::unexpected(done.error());
  const auto lines = split(content.text());
  if (lines.fault) return refuse(file, *lines.fault);
  const auto open = parse_public_key(*lines.open);
  if (!open) return tl::unexpected(open.error().within(file.string() + ": the public half"));
  const auto secret = parse_secret_key(*lines.secret);
  if (!secret) return tl::unexpected(secret.error().within(file.string() + ": the secret half"));
  if (secret->public_half() != *open) {
    return refuse(file, "its two halves do not belong together; make a new key");
  }
  return KeyPair{*open, *secret};
}

Result<void> write_key_file(const std::filesystem::path& file, const KeyPair& pair) {
  const UniqueFd fd(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) {
    return errno == EEXIST ? refuse(file, "it exists already, and a key is never overwritten")
                           : refuse_by_errno(file);
  }
  Content content;
  const auto add = [&](std::string_view text) {
    std::memcpy(content.bytes.data() + content.size, text.data(), text.size());
    content.size += text.size();
  };
  const auto add_key = [&](const KeyBytes& bytes) {
    write_digits(bytes, content.bytes.data() + content.size);
    content.size += kKeyDigits;
    add("\n");
  };
  add(kHead);
  add(kPublic);
  add_key(pair.open.bytes);
  add(kSecret);
  add_key(pair.secret.bytes());
  const auto written = ::write(fd.get(), content.bytes.data(), content.size);
  if (written == static_cast<ssize_t>(content.size) && ::fsync(fd.get()) == 0) return {};
  const auto why = refuse(file, written < 0 ? std::strerror(errno) : "the disk is full");
  ::unlink(file.c_str());
  return why;
}

Result<PublicKey> read_public_key_file(const std::filesystem::path& file) {
  Content content;
  if (auto done = read_small(file, false, content); !done) return tl::unexpected(done.error());
  auto text = content.text();
  if (text.find(kSecret) != std::string_view::npos) {
    return refuse(file, "it has a secret key; give the public half alone, of rackway key show");
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  auto key = parse_public_key(text);
  if (!key) return tl::unexpected(key.error().within(file.string()));
  return key;
}

}  // namespace rackway::cluster
