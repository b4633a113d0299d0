// SPDX-License-Identifier: Apache-2.0
#include "cluster/api_channel.hh"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/startup_error.hh"
#include "base/unique_fd.hh"

namespace rackway::cluster {
namespace {

constexpr std::string_view kIpc = "ipc://";
constexpr int kRequests = 64;  // that may wait

bool somebody_listens_at(const std::string& path) {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

// ZeroMQ takes an ipc path over without a word from whoever listens there: look first.
void prepare_ipc(const std::string& endpoint) {
  if (!endpoint.starts_with(kIpc)) return;
  const std::filesystem::path path(endpoint.substr(kIpc.size()));
  if (somebody_listens_at(path.string())) {
    throw StartupError("another program listens on " + endpoint, "",
                       "stop it (is a controller running already?) or choose another endpoint");
  }
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    throw StartupError("can not make " + path.parent_path().string() + ": " + error.message(), "",
                       "run as root or choose another controller.api endpoint");
  }
}

}  // namespace

ApiClient::ApiClient(const std::string& endpoint)
    : socket_(ChannelSocket::Kind::request, "", kRequests) {
  socket_.connect(endpoint);
}

Result<std::string> ApiClient::request(const std::string& json, std::chrono::milliseconds timeout) {
  if (!socket_.send({json})) return fail("not sent");
  if (!socket_.wait(static_cast<int>(timeout.count()))) return fail("no answer in time");
  auto parts = socket_.receive();
  if (!parts || parts->size() != 1) return fail("malformed answer");
  return std::move(parts->front());
}

ApiServer::ApiServer(const std::string& endpoint)
    : socket_(ChannelSocket::Kind::reply, "", kRequests) {
  prepare_ipc(endpoint);
  socket_.refuse_larger_than(kMaxRequestBytes);
  socket_.bind(endpoint);
  if (endpoint.starts_with(kIpc)) file_ = endpoint.substr(kIpc.size());
}

ApiServer::~ApiServer() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

void ApiServer::serve(const std::function<std::string(const std::string&)>& answer) {
  while (auto parts = socket_.receive()) {
    const auto reply = answer(parts->front());
    if (!socket_.send({reply})) return;
  }
}

}  // namespace rackway::cluster
