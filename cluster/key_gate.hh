// SPDX-License-Identifier: Apache-2.0
// Who is let in on the controller's channels. A thread of its own answers ZeroMQ's question about
// each key that has proven itself in a handshake (ZAP, ZeroMQ RFC 27), so that a flood of strangers
// holds nobody else up, and takes changes of the allow-list up within kLookEvery. A connection that
// is there already is judged anew with each of its messages: who() says whose key it has now.
// One in a process; outlives the channels that it keeps. Any thread may call.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/allow_list.hh"
#include "cluster/channel_socket.hh"
#include "cluster/key.hh"

namespace rackway::cluster {

class KeyGate {
 public:
  static constexpr std::chrono::milliseconds kLookEvery{200};

  enum class Standing { allowed, revoked, unknown };
  struct Peer {
    Standing standing{Standing::unknown};
    std::string node;  // whose the key is, or was before it was revoked
  };

  // Throws StartupError when the list can not be read.
  KeyGate(KeyPair own, std::filesystem::path allow_list);
  ~KeyGate();
  KeyGate(const KeyGate&) = delete;
  KeyGate& operator=(const KeyGate&) = delete;

  [[nodiscard]] const KeyPair& own() const { return own_; }

  // key: its text, as a channel gives it with a message.
  [[nodiscard]] Peer who(std::string_view key) const;
  // A message came with a key that is not allowed (any more).
  void count_refused(const Peer& peer);
  void count_failed_handshake() { ++failed_handshakes_; }

  struct NodeCounts {
    std::uint64_t keys{};             // allowed now
    std::uint64_t admitted{};         // handshakes
    std::uint64_t refused_revoked{};  // handshakes and messages
  };
  [[nodiscard]] NodeCounts counts_of(const std::string& node) const;
  struct Strangers {
    std::uint64_t unknown_key{};        // handshakes and messages
    std::uint64_t failed_handshakes{};  // that proved no key: another controller's key, no CURVE
    std::string last_key, last_address;
  };
  [[nodiscard]] Strangers strangers() const;

  // What the operator should hear of, as sentences, since the last call.
  [[nodiscard]] std::vector<std::string> take_news();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void look_at_list();
  void tell_changes(const AllowList& before, const AllowList& now);
  [[nodiscard]] Peer standing_of(const PublicKey& key) const;
  [[nodiscard]] std::vector<std::string> judge(const std::vector<std::string>& question);
  [[nodiscard]] bool admit(const PublicKey& key, const std::string& address);
  void tell(std::string sentence);

  const KeyPair own_;
  const std::filesystem::path folder_;
  std::string folder_state_;  // as of the list
  ChannelSocket questions_;
  mutable std::mutex mutex_;  // of what follows, up to stop_
  AllowList list_;
  std::string list_fault_;  // why the list is not the folder's; empty if it is
  std::map<std::string, NodeCounts, std::less<>> counts_;
  Strangers strangers_;
  Clock::time_point next_word_of_strangers_{};
  std::vector<std::string> news_;
  std::atomic<std::uint64_t> failed_handshakes_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace rackway::cluster
