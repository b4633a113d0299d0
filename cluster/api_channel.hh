// SPDX-License-Identifier: Apache-2.0
// The channel between the operator's command and the controller: one text asked, one answered.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/result.hh"
#include "cluster/channel_socket.hh"

namespace rackway::cluster {

// A request of more bytes is not read; answers may be as large as they are.
inline constexpr std::size_t kMaxRequestBytes = 1u << 20;

class ApiClient {
 public:
  // Throws StartupError on an endpoint that can not be one.
  explicit ApiClient(const std::string& endpoint);
  // One request per client: after a time-out the channel is out of step, make a new one.
  Result<std::string> request(const std::string& json, std::chrono::milliseconds timeout);

 private:
  ChannelSocket socket_;
};

class ApiServer {
 public:
  // Throws StartupError. For ipc:// endpoints the folder is made and a dead socket replaced.
  explicit ApiServer(const std::string& endpoint);
  // Removes the file of an ipc:// endpoint; ZeroMQ leaves it.
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;
  // Answers all waiting requests.
  void serve(const std::function<std::string(const std::string& request)>& answer);
  [[nodiscard]] void* handle() const { return socket_.handle(); }

 private:
  std::string file_;  // empty for other endpoints
  ChannelSocket socket_;
};

}  // namespace rackway::cluster
