// SPDX-License-Identifier: Apache-2.0
// What the programs of `./dev bench` have in common: arguments, the file for JSON, faults.
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>
#include <optional>
#include <ostream>
#include <string>

#include "base/startup_error.hh"

namespace rackway::bench {

// Nothing if the arguments are good; else the exit code, after saying what there is to say.
inline std::optional<int> parse(CLI::App& app, const std::string& program, int argc, char** argv,
                                std::ostream& out, std::ostream& err) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    out << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    err << program << ": " << error.what() << "\n";
    return 2;
  }
  return std::nullopt;
}

// Not open if the path is empty. Throws StartupError.
inline std::ofstream json_file(const std::string& path) {
  std::ofstream json;
  if (path.empty()) return json;
  json.open(path);
  if (!json) throw StartupError("can not write", path, "name a file that can be");
  return json;
}

// The exit code of run(), which throws when it can not go on.
template <class Run>
int exit_code(const std::string& program, std::ostream& err, Run&& run) {
  try {
    run();
  } catch (const std::exception& error) {
    err << program << ": " << error.what() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace rackway::bench
