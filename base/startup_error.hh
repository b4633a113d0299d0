// SPDX-License-Identifier: Apache-2.0
// A fault that keeps a program from starting: what is wrong, where, and what to do about it.
// Thrown anywhere before the main loop, caught once in main(), printed as one line, exit code 1
// (2 for bad arguments).
#pragma once

#include <stdexcept>
#include <string>

namespace rackway {

class StartupError : public std::runtime_error {
 public:
  // where may be empty. Printed as "what (where); what_to_do".
  StartupError(const std::string& what, const std::string& where, const std::string& what_to_do)
      : std::runtime_error(what + (where.empty() ? "" : " (" + where + ")") + "; " + what_to_do) {}
};

}  // namespace rackway
