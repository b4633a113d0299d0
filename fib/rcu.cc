// SPDX-License-Identifier: Apache-2.0
// The library's functions are called, not inlined: its inline forms are for LGPL programs only.
// ThreadSanitizer does not see into the library, so it is told the one order that QSBR gives: what
// a reader did before a quiescent state comes before what follows the synchronize() that waited
// for it. It still reports a reader that uses an old pointer after its quiescent state.
#include "fib/rcu.hh"

#include <urcu/urcu-qsbr.h>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace rackway::fib::rcu {
namespace {

#if defined(__SANITIZE_THREAD__)
char grace_period;
void reader_lets_go() noexcept {
  __tsan_release(&grace_period);
}
void writer_has_waited() noexcept {
  __tsan_acquire(&grace_period);
}
#else
void reader_lets_go() noexcept {}
void writer_has_waited() noexcept {}
#endif

}  // namespace

ReaderThread::ReaderThread() {
  urcu_qsbr_register_thread();
}

ReaderThread::~ReaderThread() {
  reader_lets_go();
  urcu_qsbr_unregister_thread();
}

void ReaderThread::quiescent() noexcept {
  reader_lets_go();
  urcu_qsbr_quiescent_state();
}

void ReaderThread::offline() noexcept {
  reader_lets_go();
  urcu_qsbr_thread_offline();
}

void ReaderThread::online() noexcept {
  urcu_qsbr_thread_online();
}

void synchronize() {
  urcu_qsbr_synchronize_rcu();
  writer_has_waited();
}

}  // namespace rackway::fib::rcu
