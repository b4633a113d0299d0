// SPDX-License-Identifier: Apache-2.0
// `rackway key`: makes keys, and says whose the controller lets in (docs/keys.md). Works on files
// alone; a controller that runs takes a changed list up by itself. No secret is an argument or
// printed.
//   rackway key new FILE                    rackway key allow DIR NODE KEY
//   rackway key show FILE                   rackway key revoke DIR NODE [KEY]
// KEY is 64 hex digits or a file with them.
#pragma once

#include <ostream>

namespace rackway::cli {

// argv[0] is "key". Returns the exit code: 0, 1 after one line on err, 2 for bad arguments.
int manage_keys(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace rackway::cli
