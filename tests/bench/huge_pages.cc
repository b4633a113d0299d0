// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/huge_pages.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>

namespace rackway::bench {
namespace {

constexpr const char* kReserved = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
constexpr const char* kFree = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages";
constexpr const char* kSurplus = "/sys/kernel/mm/hugepages/hugepages-2048kB/surplus_hugepages";
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGILL};

// Written before the handlers are there, read by them.
volatile unsigned added = 0;

// Only calls that a signal handler may make, from here to give_back().
int read_number(const char* path) {
  std::array<char, 16> text{};
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  int number = 0;
  for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i) {
    number = number * 10 + (text[i] - '0');
  }
  return size > 0 ? number : -1;
}

void write_number(const char* path, unsigned number) {
  std::array<char, 16> text{};
  std::size_t at = text.size();
  do {
    text[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)!::write(file, text.data() + at, text.size() - at);
  ::close(file);
}

// Somebody else may have reserved more in the meantime: only ours go. Those in use become "surplus"
// ones, which go when the process ends, and are no longer counted here.
void give_back() {
  const int now = read_number(kReserved) - std::max(read_number(kSurplus), 0);
  const int ours = static_cast<int>(added);
  if (ours > 0 && now > 0) write_number(kReserved, static_cast<unsigned>(std::max(now - ours, 0)));
  added = 0;
}

void give_back_and_die(int signal) {
  give_back();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::optional<unsigned> number_in(const char* path) {
  const int number = read_number(path);
  return number < 0 ? std::nullopt : std::optional(static_cast<unsigned>(number));
}

}  // namespace

HugePages::HugePages(unsigned pages) {
  const unsigned before = reserved().value_or(0);
  const unsigned there = free().value_or(0);
  if (there >= pages) return;
  for (const int signal : kSignals) ::signal(signal, give_back_and_die);
  added = pages - there;
  write_number(kReserved, before + added);
  added = std::max(reserved().value_or(0), before) - before;
}

HugePages::~HugePages() {
  give_back();
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
}

std::optional<unsigned> HugePages::reserved() {
  return number_in(kReserved);
}

std::optional<unsigned> HugePages::free() {
  return number_in(kFree);
}

}  // namespace rackway::bench
