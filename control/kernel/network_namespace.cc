// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/network_namespace.hh"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "base/unique_fd.hh"
#include "control/kernel/link_control.hh"

namespace rackway::control {
namespace {

constexpr const char* kIpProgram = "/sbin/ip";

// A name is one path component, so that it can name nothing outside of /run/netns.
std::string path_of(const std::string& network_namespace) {
  const bool usable =
      !network_namespace.empty() && network_namespace.size() <= 255 &&
      network_namespace.find_first_of(std::string_view("/\0", 2)) == std::string::npos &&
      network_namespace != "." && network_namespace != "..";
  if (!usable) {
    throw StartupError("\"" + network_namespace + "\" can not name a network namespace", "",
                       "use a name as `ip netns add` takes it");
  }
  return "/run/netns/" + network_namespace;
}

UniqueFd open_namespace(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    const int error = errno;
    throw StartupError(std::string("can not open the network namespace: ") + std::strerror(error),
                       path, "create it with `ip netns add`, or check the name");
  }
  return fd;
}

// Enters in the constructor, returns in the destructor. A thread that can not return would do
// everything else in the wrong network, unseen, so that is the end of the program.
class Visit {
 public:
  explicit Visit(const std::string& path)
      : home_(open_namespace("/proc/thread-self/ns/net")), away_(open_namespace(path)) {
    if (::setns(away_.get(), CLONE_NEWNET) == 0) return;
    const int error = errno;
    throw StartupError(std::string("can not enter the network namespace: ") + std::strerror(error),
                       path, error == EPERM ? "run as root" : "delete it and create it anew");
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() {
    if (::setns(home_.get(), CLONE_NEWNET) == 0) return;
    log::error("can not return to the own network namespace: {}", std::strerror(errno));
    std::abort();
  }

 private:
  UniqueFd home_;
  UniqueFd away_;
};

// Runs `ip netns VERB NAME`; the program makes the mount under /run/netns as everyone expects it.
void run_ip_netns(std::string verb, std::string name) {
  std::string program = "ip", object = "netns";
  std::array<char*, 5> arguments{program.data(), object.data(), verb.data(), name.data(), nullptr};
  pid_t child{};
  const int error = ::posix_spawn(&child, kIpProgram, nullptr, nullptr, arguments.data(), environ);
  if (error != 0) {
    throw StartupError(std::string("can not run ip: ") + std::strerror(error), kIpProgram,
                       "install iproute2");
  }
  int status{};
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw StartupError("`ip netns " + verb + " " + name + "` failed", "",
                       ::geteuid() == 0 ? "see its message above" : "run as root");
  }
}

void write_setting(const char* path, const char* value) {
  const UniqueFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), value, std::strlen(value)) < 0) {
    const int error = errno;
    if (error == ENOENT) return;  // a kernel built without that family
    throw StartupError(std::string("can not write the setting: ") + std::strerror(error), path,
                       "run as root, with /proc/sys writable");
  }
}

void make_router(const std::string& network_namespace) {
  // /proc/sys/net shows the namespace of the thread that opens the file.
  inside_namespace(network_namespace, [] {
    write_setting("/proc/sys/net/ipv4/ip_forward", "1");
    write_setting("/proc/sys/net/ipv6/conf/all/forwarding", "1");
    // A port goes down when its MAC changes, and its VLANs with it.
    write_setting("/proc/sys/net/ipv6/conf/default/keep_addr_on_down", "1");
  });
  LinkControl links(network_namespace);
  if (const auto up = links.change(LinkControl::kLoopback, {.up = true}); !up) {
    throw StartupError("can not set the loopback up: " + up.error().message, network_namespace,
                       "run as root");
  }
}

}  // namespace

void inside_namespace(const std::string& network_namespace, const std::function<void()>& body) {
  const Visit visit(path_of(network_namespace));
  body();
}

bool ensure_namespace(const std::string& network_namespace) {
  struct stat found {};
  if (::stat(path_of(network_namespace).c_str(), &found) == 0) return false;
  run_ip_netns("add", network_namespace);
  try {
    make_router(network_namespace);
  } catch (const StartupError&) {
    // A half-made one would pass for the operator's own at the next start.
    run_ip_netns("delete", network_namespace);
    throw;
  }
  return true;
}

void remove_namespace(const std::string& network_namespace) {
  run_ip_netns("delete", network_namespace);
}

}  // namespace rackway::control
