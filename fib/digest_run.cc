// SPDX-License-Identifier: Apache-2.0
#include "fib/digest_run.hh"

#include <utility>

#include "fib/record_digest.hh"

namespace rackway::fib {

bool DigestRun::step(std::size_t most_routes) {
  if (done_) return true;
  if (!std::exchange(begun_, true)) sum_ = fib_->digest_without_routes();
  const auto routes = fib_->routes_after(last_, most_routes);
  for (const auto& route : routes) sum_ += digest_of(route);
  if (!routes.empty()) last_ = routes.back().prefix;
  done_ = routes.size() < most_routes;
  return done_;
}

}  // namespace rackway::fib
