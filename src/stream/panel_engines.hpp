// The engines that multiply panels: one that reads them as they came, and the modular one, which prepares them.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "gemm/device_product.hpp"
#include "gemm/modular/opencl/panel_product.hpp"
#include "stream/pipeline.hpp"

namespace hilo::stream {

/// C's panels are products of their own, with alpha and beta of `product` and its precision; `shape` of the whole.
class PlainPanels : public PanelEngine {
 public:
  PlainPanels(opencl::QueueState& queue, const GemmShape& shape, const DeviceProduct& product,
              const GemmOptions& options, const int (&slots)[2]);

  bool reads_panels() const override { return true; }
  Event prepare(const Load& load, const DeviceView& panel, const std::vector<cl::Event>& wait_list) override;
  Event multiply(const Step& step, const DeviceView& c, const std::vector<cl::Event>& wait_list) override;

  /// Waits for all products.
  std::int64_t entries_recomputed();

 private:
  opencl::QueueState& queue_;
  const GemmShape shape_;
  const DeviceProduct product_;
  const GemmOptions options_;
  std::vector<DeviceView> panels_[2];
  std::vector<std::vector<cl::Event>> arrivals_[2];
  // By rows and columns, and whether the diagonal cuts them.
  std::map<std::tuple<std::int64_t, std::int64_t, bool>, DevicePlan> plans_;
  std::vector<DeviceRun> runs_;
};

/// By residues.
class ModularPanels : public PanelEngine {
 public:
  /// What is to be done with pairs.
  enum class Task { test, multiply, both };

  /// With all its memory. Throws out_of_memory.
  ModularPanels(opencl::QueueState& queue, modular::PanelProduct& product, const int (&slots)[2], Task task);
  ~ModularPanels() override;

  bool reads_panels() const override { return false; }
  Event prepare(const Load& load, const DeviceView& panel, const std::vector<cl::Event>& wait_list) override;
  Event multiply(const Step& step, const DeviceView& c, const std::vector<cl::Event>& wait_list) override;

 private:
  void give_back() noexcept;

  opencl::QueueState& queue_;
  modular::PanelProduct& product_;
  const Task task_;
  std::vector<modular::PreparedPanel> panels_[2];
};

}  // namespace hilo::stream
