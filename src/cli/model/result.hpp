// What `hilo model` prints and draws.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/model/sweep.hpp"
#include "cli/plot.hpp"

namespace hilo::cli {

struct ModelResult {
  ModelDevice device;
  Accuracy accuracy = Accuracy::classic;
  std::vector<ModelRow> rows;
  bool has_measured = false, shows_blocks = false;
  std::vector<TransferRow> transfers;
  std::string plot;  ///< the picture's name; empty where there is none
};

/// Tables for a person.
void print_table(std::ostream& out, const ModelResult& result);

/// One JSON object with fixed keys; what is not known or was not asked for is null.
void print_json(std::ostream& out, const ModelResult& result);

/// The devices that are described.
void print_devices_table(std::ostream& out);
void print_devices_json(std::ostream& out);

/// What `draw` takes. Throws hilo::error (invalid_argument) where there is nothing to draw.
Panel roofline(const ModelResult& result);

}  // namespace hilo::cli
