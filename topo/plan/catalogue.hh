// SPDX-License-Identifier: Apache-2.0
// Reads a catalogue of hardware from JSON (fields: docs/planning.md), as strictly as a cluster
// document: unknown keys are refused, and a fault names its place. Throws StartupError.
#pragma once

#include <string>
#include <vector>

#include "topo/plan/hardware.hh"

namespace rackway::plan {

extern const char* const kBuiltInCatalogue;  // topo/plan/catalogue/catalogue.json

// What the text adds to the catalogue; a model of a name that is there takes its place.
void add_to_catalogue(Catalogue& catalogue, const std::string& json_text,
                      const std::string& file_name);
// The built-in catalogue and those of the files. Checks that servers name NICs that there are.
[[nodiscard]] Catalogue read_catalogue(const std::vector<std::string>& files);

}  // namespace rackway::plan
