// SPDX-License-Identifier: Apache-2.0
#include "cluster/key_gate.hh"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/startup_error.hh"

namespace rackway::cluster {
namespace {

constexpr const char* kEndpoint = "inproc://zeromq.zap.01";  // RFC 27
constexpr int kQuestions = 1024;                             // that may wait
constexpr std::size_t kMostNews = 64;
constexpr auto kStrangersEvery = std::chrono::seconds(10);

// The parts of a question: version, number, domain, address, routing id, mechanism, key.
constexpr std::size_t kVersion = 0, kNumber = 1, kAddress = 3, kMechanism = 5, kKey = 6, kParts = 7;

AllowList read_or_throw(const std::filesystem::path& folder) {
  auto list = read_allow_list(folder);
  if (list) return std::move(*list);
  throw StartupError("no list of allowed keys: " + list.error().message, "",
                     "make it with rackway key allow (docs/keys.md)");
}

}  // namespace

KeyGate::KeyGate(KeyPair own, std::filesystem::path allow_list)
    : own_(std::move(own)),
      folder_(std::move(allow_list)),
      folder_state_(state_of_allow_list(folder_)),
      questions_(ChannelSocket::Kind::reply, "", kQuestions),
      list_(read_or_throw(folder_)) {
  for (const auto& fault : list_.faults) tell("the list of allowed keys: " + fault);
  questions_.bind(kEndpoint);
  thread_ = std::thread([this] { run(); });
}

KeyGate::~KeyGate() {
  stop_ = true;
  thread_.join();
}

void KeyGate::run() {
  auto next_look = Clock::now() + kLookEvery;
  while (!stop_) {
    questions_.wait(static_cast<int>(kLookEvery.count()));
    while (const auto question = questions_.receive()) {
      const auto answer = judge(*question);
      if (!questions_.send({answer.begin(), answer.end()})) break;
    }
    if (const auto now = Clock::now(); now >= next_look) {
      look_at_list();
      next_look = now + kLookEvery;
    }
  }
}

void KeyGate::look_at_list() {
  auto state = state_of_allow_list(folder_);
  if (state == folder_state_) return;
  folder_state_ = std::move(state);
  auto now = read_allow_list(folder_);
  const std::lock_guard lock(mutex_);
  if (!now) {  // a disk that is away for a while is no reason to cut everybody off
    if (std::exchange(list_fault_, now.error().message) != now.error().message) {
      tell("the list of allowed keys stays as it was: " + list_fault_);
    }
    return;
  }
  list_fault_.clear();
  if (*now == list_) return;
  tell_changes(list_, *now);
  list_ = std::move(*now);
}

void KeyGate::tell_changes(const AllowList& before, const AllowList& now) {
  for (const auto& fault : now.faults) {
    if (std::ranges::count(before.faults, fault) == 0) {
      tell("the list of allowed keys: " + fault);
    }
  }
  for (const auto& [key, node] : before.allowed) {
    if (!now.allowed.contains(key)) tell(fmt::format("node {}: a key is revoked", node));
  }
  for (const auto& [key, node] : now.allowed) {
    if (!before.allowed.contains(key)) tell(fmt::format("node {}: a key is allowed", node));
  }
}

std::vector<std::string> KeyGate::judge(const std::vector<std::string>& question) {
  const bool understood = question.size() == kParts && question[kVersion] == "1.0" &&
                          question[kMechanism] == "CURVE" && question[kKey].size() == kKeyBytes;
  PublicKey key;
  if (understood) std::memcpy(key.bytes.data(), question[kKey].data(), kKeyBytes);
  const bool good = understood && admit(key, question[kAddress]);
  // Version, number, status, its text, user id, metadata. The user id comes with each message.
  return {"1.0",
          question.size() > kNumber ? question[kNumber] : "",
          good ? "200" : "400",
          "",
          good ? key.text() : "",
          ""};
}

bool KeyGate::admit(const PublicKey& key, const std::string& address) {
  const std::lock_guard lock(mutex_);
  const auto peer = standing_of(key);
  if (peer.standing == Standing::allowed) {
    ++counts_[peer.node].admitted;
    return true;
  }
  if (peer.standing == Standing::revoked) {
    ++counts_[peer.node].refused_revoked;
    return false;
  }
  ++strangers_.unknown_key;
  strangers_.last_key = key.text();
  strangers_.last_address = address;
  if (const auto now = Clock::now(); now >= next_word_of_strangers_) {
    next_word_of_strangers_ = now + kStrangersEvery;
    tell(fmt::format("a peer at {} is refused: its key {} is nobody's", address, key.text()));
  }
  return false;
}

// The caller has the mutex.
KeyGate::Peer KeyGate::standing_of(const PublicKey& key) const {
  if (const auto found = list_.allowed.find(key); found != list_.allowed.end()) {
    return {Standing::allowed, found->second};
  }
  if (const auto found = list_.revoked.find(key); found != list_.revoked.end()) {
    return {Standing::revoked, found->second};
  }
  return {};
}

KeyGate::Peer KeyGate::who(std::string_view key) const {
  const auto parsed = parse_public_key(key);
  if (!parsed) return {};
  const std::lock_guard lock(mutex_);
  return standing_of(*parsed);
}

void KeyGate::count_refused(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  if (peer.standing == Standing::revoked) {
    ++counts_[peer.node].refused_revoked;
  } else {
    ++strangers_.unknown_key;
  }
}

KeyGate::NodeCounts KeyGate::counts_of(const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto found = counts_.find(node);
  auto counts = found == counts_.end() ? NodeCounts{} : found->second;
  counts.keys = static_cast<std::uint64_t>(std::ranges::count_if(
      list_.allowed, [&](const auto& entry) { return entry.second == node; }));
  return counts;
}

KeyGate::Strangers KeyGate::strangers() const {
  const std::lock_guard lock(mutex_);
  auto strangers = strangers_;
  strangers.failed_handshakes = failed_handshakes_;
  return strangers;
}

// The caller has the mutex, or there is no other thread yet.
void KeyGate::tell(std::string sentence) {
  if (news_.size() < kMostNews) news_.push_back(std::move(sentence));
}

std::vector<std::string> KeyGate::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

}  // namespace rackway::cluster
