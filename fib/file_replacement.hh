// SPDX-License-Identifier: Apache-2.0
// Replaces a file as a whole, so that a crash at any time leaves the old one or the new one:
// written to PATH.new, made durable, renamed. On error the old one is as it was and PATH.new is
// gone; the exception is a folder that can not be made durable, which is found when the new one has
// its name. One writer per path; any number of readers at any time.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "base/result.hh"

namespace rackway::fib {

// The error names the path.
[[nodiscard]] Result<void> replace_file(const std::filesystem::path& path, std::string_view bytes);
// One after the other.
[[nodiscard]] Result<void> replace_file(const std::filesystem::path& path,
                                        std::initializer_list<std::string_view> parts);

}  // namespace rackway::fib
