// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/silence_watch.hh"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>

namespace {

thread_local bool watched = false;
// Relaxed: whoever reads them was told by other means that the watch is over.
std::atomic<std::uint64_t> system_calls{0}, allocations{0}, locks{0};
std::atomic<long> last_system_call{-1};

void note(std::atomic<std::uint64_t>& count) {
  if (watched) count.fetch_add(1, std::memory_order_relaxed);
}

void on_trap(int, siginfo_t* what, void* context) {
  last_system_call.store(what->si_syscall, std::memory_order_relaxed);
  note(system_calls);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
}

// All but those that a thread needs to come back from the trap and to end.
bool trap_system_calls() {
  std::array<sock_filter, 6> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  note(allocations);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  note(allocations);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  note(allocations);
  return __libc_realloc(memory, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  note(allocations);
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  if (memory != nullptr) note(allocations);
  __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static auto* const lock = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  note(locks);
  return lock(mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  static auto* const lock = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  note(locks);
  return lock(mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* mutex) {
  static auto* const lock = next<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  note(locks);
  return lock(mutex);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* mutex) {
  static auto* const lock = next<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  note(locks);
  return lock(mutex);
}
int pthread_spin_lock(pthread_spinlock_t* mutex) {
  static auto* const lock = next<int(pthread_spinlock_t*)>("pthread_spin_lock");
  note(locks);
  return lock(mutex);
}

}  // extern "C"

namespace rackway::bench {

bool begin_watch() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
  if (!trap_system_calls()) return false;
  watched = true;
  return true;
}

void end_watch() noexcept {
  watched = false;
}

Noises noises() noexcept {
  return {system_calls.load(), allocations.load(), locks.load(), last_system_call.load()};
}

}  // namespace rackway::bench
