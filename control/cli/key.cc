// SPDX-License-Identifier: Apache-2.0
#include "control/cli/key.hh"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "cluster/allow_list.hh"
#include "cluster/key_file.hh"
#include "control/cli/arguments.hh"

namespace rackway::cli {
namespace {

struct KeyArguments {
  std::string file, folder, node, key;
};

// What there is to print.
using Outcome = Result<std::string>;

Outcome make(const KeyArguments& arguments) {
  const auto pair = cluster::new_key_pair();
  if (auto done = cluster::write_key_file(arguments.file, pair); !done) {
    return tl::unexpected(done.error());
  }
  return pair.open.text() + "\n";
}

Outcome show_public(const KeyArguments& arguments) {
  const auto pair = cluster::read_key_file(arguments.file);
  if (!pair) return tl::unexpected(pair.error());
  return pair->open.text() + "\n";
}

// A file's name if there is such a file; else the digits themselves.
Result<cluster::PublicKey> key_of(const std::string& text) {
  std::error_code error;
  if (std::filesystem::exists(text, error)) return cluster::read_public_key_file(text);
  auto key = cluster::parse_public_key(text);
  if (!key)
    return fail("'" + text + "' is neither a file nor a public key: " + key.error().message);
  return key;
}

Outcome allow(const KeyArguments& arguments) {
  const auto key = key_of(arguments.key);
  if (!key) return tl::unexpected(key.error());
  const auto done = cluster::allow_key(arguments.folder, arguments.node, *key);
  if (!done) return tl::unexpected(done.error());
  return "";
}

Outcome revoke(const KeyArguments& arguments) {
  std::optional<cluster::PublicKey> only;
  if (!arguments.key.empty()) {
    const auto key = key_of(arguments.key);
    if (!key) return tl::unexpected(key.error());
    only = *key;
  }
  const auto done = cluster::revoke_keys(arguments.folder, arguments.node, only);
  if (!done) return tl::unexpected(done.error());
  return "";
}

void declare(CLI::App& app, KeyArguments& arguments,
             std::function<Outcome(const KeyArguments&)>& work) {
  app.require_subcommand(1);
  const auto command = [&](const char* verb, const char* what, auto action) {
    auto* sub = app.add_subcommand(verb, what);
    sub->callback([&work, action] { work = action; });
    return sub;
  };
  auto* made =
      command("new", "Make a key, in a new file of mode 0600; print its public half", make);
  auto* shown = command("show", "Print the public half of a key file", show_public);
  for (auto* sub : {made, shown}) sub->add_option("file", arguments.file)->required();
  auto* allowed = command("allow", "Let a node in by this key, besides those it has", allow);
  auto* revoked = command("revoke", "Let a node in by this key no more, or by any", revoke);
  for (auto* sub : {allowed, revoked}) {
    sub->add_option("folder", arguments.folder, "The controller's list of allowed keys")
        ->required();
    sub->add_option("node", arguments.node)->required();
    auto* key = sub->add_option("key", arguments.key, "64 hex digits, or a file with them");
    if (sub == allowed) key->required();
  }
}

int refuse(std::string fault, std::ostream& err, int code) {
  std::replace(fault.begin(), fault.end(), '\n', ' ');
  err << "rackway key: " << fault << "\n";
  return code;
}

}  // namespace

int manage_keys(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  KeyArguments arguments;
  std::function<Outcome(const KeyArguments&)> work;
  CLI::App app("Make keys, and say whose the controller lets in", "rackway key");
  declare(app, arguments, work);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    if (stop.get_exit_code() == 0) return app.exit(stop, out, err);  // --help
    return refuse(std::string(stop.what()) + "; see rackway key --help", err, kExitBadArguments);
  }
  const auto done = work(arguments);
  if (!done) return refuse(done.error().message, err, kExitFault);
  out << *done << std::flush;
  return out ? 0 : kExitFault;
}

}  // namespace rackway::cli
