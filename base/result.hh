// SPDX-License-Identifier: Apache-2.0
// How the control plane says that something failed: a value or an error of one clear line, to
// which each layer may add where it stood. Start-up faults are exceptions, see startup_error.hh;
// the data plane has neither.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace rackway {

struct Error {
  std::string message;

  // "while reading cluster.json: " + message, for the layer above.
  [[nodiscard]] Error within(const std::string& context) const {
    return {context + ": " + message};
  }
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace rackway
