// SPDX-License-Identifier: Apache-2.0
// Runs code inside a named network namespace (/run/netns/NAME, as `ip netns` makes them). The
// namespace of the calling thread is restored on every way out.
#pragma once

#include <functional>
#include <string>

namespace rackway::control {

// Throws StartupError when the namespace does not exist or can not be entered. The callee's
// exceptions pass through.
void inside_namespace(const std::string& network_namespace, const std::function<void()>& body);

// Creates it if it is missing (its loopback up, forwarding on, IPv6
// addresses kept while links are down); true if it was created.
bool ensure_namespace(const std::string& network_namespace);

// Deletes one that ensure_namespace() created, with all devices in it.
void remove_namespace(const std::string& network_namespace);

}  // namespace rackway::control
