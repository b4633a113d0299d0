// SPDX-License-Identifier: Apache-2.0
// The command line of `rackway route`:
//   rackway route add PREFIX [via] NEXT-HOP[*WEIGHT]...   or one of blackhole, unreachable,
//   prohibit rackway route del PREFIX | --imported rackway route import FILE [--format csv|mrt]
//   [--peer ADDRESS] [--keep] rackway route show [PREFIX|ADDRESS] [--explain]
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ip_address.hh"

namespace rackway::cli {

struct ImportArguments {
  std::string file;
  std::string format;             // csv, mrt; empty: as it looks
  std::optional<IpAddress> peer;  // MRT: only what this one told
  bool keep = false;              // what was imported before
};

struct RouteArguments {
  std::string prefix;                // or, of show, an address
  std::vector<std::string> targets;  // of add
  bool imported = false;             // of del
  bool explain = false;              // of show
  std::string peer;
  ImportArguments import;
};

// give_options adds those that every command has.
void declare_route(CLI::App& route, RouteArguments& arguments,
                   const std::function<void(CLI::App&)>& give_options);

// The words of add as the API has a target: "192.0.2.1,192.0.2.2,3".
[[nodiscard]] std::string target_text(const std::vector<std::string>& words);

}  // namespace rackway::cli
