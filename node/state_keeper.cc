// SPDX-License-Identifier: Apache-2.0
#include "node/state_keeper.hh"

#include <new>
#include <utility>

#include "base/log.hh"
#include "fib/file_replacement.hh"
#include "fib/snapshot_file.hh"

namespace rackway::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kRest = 2s;         // after a file,
constexpr auto kRestPerMb = 1s;    // more after a large one: a disk wears
constexpr auto kRestInVain = 10s;  // after a failure
constexpr std::size_t kMb = 1u << 20;

}  // namespace

StateKeeper::StateKeeper(std::filesystem::path file, std::string node, std::uint64_t boot_id,
                         const fib::LeftRight& fib)
    : file_(std::move(file)), node_(std::move(node)), boot_id_(boot_id), fib_(fib) {
  thread_ = std::thread([this] { run(); });
}

StateKeeper::~StateKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StateKeeper::orders(Orders orders) {
  const std::lock_guard lock(mutex_);
  wanted_.orders = std::make_shared<const Orders>(std::move(orders));
  dirty_ = wanted_.held != Held{};  // without a FIB there is nothing to forward by
  changed_.notify_one();
}

void StateKeeper::committed(Held held) {
  const std::lock_guard lock(mutex_);
  wanted_.held = held;
  dirty_ = wanted_.orders != nullptr;
  changed_.notify_one();
}

std::optional<Held> StateKeeper::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

void StateKeeper::run() {
  fib::rcu::ReaderThread reader;
  reader.offline();
  auto rested = Clock::now();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return dirty_ || stopping_; });
    changed_.wait_until(lock, rested, [&] { return stopping_; });
    if (!dirty_) return;
    const Wanted wanted = wanted_;
    dirty_ = false;
    lock.unlock();
    const auto written = write(wanted, reader);
    lock.lock();
    rested = Clock::now() + note(written, wanted);
  }
}

std::optional<std::string> StateKeeper::content_of(const Wanted& wanted,
                                                   fib::rcu::ReaderThread& reader) const {
  fib::Delta content;
  reader.online();
  const fib::Fib& fib = *fib_.active();
  const bool same = fib.digest() == wanted.held.digest;
  try {
    if (same) content = fib.snapshot();
  } catch (...) {
    reader.offline();
    throw;
  }
  reader.offline();
  if (!same) return std::nullopt;
  return fib::encode_snapshot(content, wanted.held.digest);
}

Result<std::size_t> StateKeeper::write(const Wanted& wanted, fib::rcu::ReaderThread& reader) {
  try {
    const auto content = content_of(wanted, reader);
    if (!content) return std::size_t{0};
    const auto head = encode_state_head(node_, boot_id_, wanted.held.epoch, *wanted.orders);
    return fib::replace_file(file_, {head, *content}).map([&] {
      return head.size() + content->size();
    });
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  }
}

// How long to rest.
StateKeeper::Clock::duration StateKeeper::note(const Result<std::size_t>& written,
                                               const Wanted& wanted) {
  if (!written) {
    if (!failing_) log::error("the state is not kept: {}", written.error().message);
    failing_ = true;
    dirty_ = !stopping_;
    return kRestInVain;
  }
  if (*written == 0) return 0s;
  if (std::exchange(failing_, false)) log::info("the state is kept again");
  kept_ = wanted.held;
  return kRest + kRestPerMb * (*written / kMb);
}

}  // namespace rackway::node
