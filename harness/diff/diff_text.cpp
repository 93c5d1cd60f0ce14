// SPDX-License-Identifier: Apache-2.0
#include "harness/diff/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/printable.h"
#include "reports/text_table.h"

namespace assay::diff {
namespace {

using reports::Align;
using reports::TextTable;

constexpr const char* kNothing = "-";

std::string percent(double share) {
  if (!std::isfinite(share)) {
    return share < 0 ? "-inf" : "+inf";
  }
  return std::abs(share) < 1e-4 ? fmt::format("{:+.2e}", share) : fmt::format("{:+.4g} %", 100 * share);
}

std::string range_text(const std::optional<Range>& range) {
  return range ? fmt::format("[{:.6g}, {:.6g}]", range->min, range->max) : kNothing;
}

std::string layout_text(const api::StatedParams& params) {
  if (params.dynamic) {
    return "at run time";
  }
  if (params.block_size > 0) {
    return fmt::format("axis {}, blocks of {}, {} scales", params.axis, params.block_size, params.scales.size());
  }
  return params.axis < 0 ? "per tensor" : fmt::format("axis {}, {} channels", params.axis, params.scales.size());
}

// "uint8, scale 0.0123, zero point 128": all of a tensor in one cell.
std::string params_text(const api::StatedParams& params) {
  std::string text = fmt::format("{}, {}", dtype_name(params.dtype), layout_text(params));
  if (params.scales.size() == 1) {
    text += fmt::format(", scale {:.6g}", params.scales[0]);
  } else if (!params.scales.empty()) {
    const auto [low, high] = std::ranges::minmax(params.scales);
    text += fmt::format(", scales {:.6g} to {:.6g}", low, high);
  }
  if (params.zero_points.size() == 1) {
    text += fmt::format(", zero point {}", params.zero_points[0]);
  }
  return text;
}

std::string channel_text(const char* what, const ScaleChange& change, std::size_t of) {
  return of <= 1 ? what : fmt::format("{} [{}], {} of {}", what, change.at, change.count, of);
}

// One row for each aspect that differs; the tensor's name stands in the first.
void add_tensor_rows(const TensorDiff& diff, TextTable& table) {
  std::string name = diff.tensor;
  const auto add = [&](const std::string& what, const std::string& before, const std::string& after,
                       const std::string& change) {
    table.rows.push_back({name, what, before, after, change});
    name = "";
  };
  if (diff.change != Change::kChanged) {
    add(std::string(change_name(diff.change)), diff.before ? params_text(*diff.before) : kNothing,
        diff.after ? params_text(*diff.after) : kNothing, "");
    return;
  }
  const api::StatedParams& a = *diff.before;
  const api::StatedParams& b = *diff.after;
  if (diff.type) {
    add("type", std::string(dtype_name(a.dtype)), std::string(dtype_name(b.dtype)), "");
  }
  if (diff.layout) {
    add("layout", params_text(a), params_text(b), "");
  }
  if (diff.scale.count > 0) {
    const std::size_t at = diff.scale.at;
    add(channel_text("scale", diff.scale, a.scales.size()), fmt::format("{:.6g}", a.scales[at]),
        fmt::format("{:.6g}", b.scales[at]), percent(diff.scale.largest));
  }
  if (diff.zero_point.count > 0) {
    const std::size_t at = diff.zero_point.at;
    add(channel_text("zero point", diff.zero_point, a.zero_points.size()), std::to_string(a.zero_points[at]),
        std::to_string(b.zero_points[at]), fmt::format("{:+g}", diff.zero_point.largest));
  }
  if (!diff.layout && (diff.type || diff.scale.count > 0 || diff.zero_point.count > 0)) {
    const std::size_t at = diff.scale.count > 0 ? diff.scale.at : diff.zero_point.at;
    if (const auto range = stated_range(a, at); range) {
      add("range", range_text(range), range_text(stated_range(b, at)), "");
    }
  }
  if (diff.shape) {
    add("values", a.values.empty() ? "not constant" : shape_text(a.values.shape()),
        b.values.empty() ? "not constant" : shape_text(b.values.shape()), "");
  } else if (diff.values > 0) {
    add("values", fmt::format("{} integers", a.values.size()), fmt::format("{} differ", diff.values),
        fmt::format("{} at most", diff.largest_step));
  }
}

std::string more_text(std::size_t all, std::size_t top, const char* what) {
  return top > 0 && all > top ? fmt::format("  ... and {} more {}\n", all - top, what) : "";
}

std::size_t shown(std::size_t all, std::size_t top) { return top > 0 ? std::min(all, top) : all; }

std::string tensor_section(const std::vector<TensorDiff>& tensors, std::size_t top) {
  if (tensors.empty()) {
    return "";
  }
  TextTable table{.title = "Quantization parameters",
                  .columns = {{"tensor"}, {"differs"}, {"a"}, {"b"}, {"change", Align::kRight}},
                  .rows = {}};
  for (std::size_t i = 0; i < shown(tensors.size(), top); ++i) {
    add_tensor_rows(tensors[i], table);
  }
  return render_plain(table) + more_text(tensors.size(), top, "tensors") + "\n";
}

std::string node_section(const std::vector<NodeDiff>& nodes, std::size_t top) {
  if (nodes.empty()) {
    return "";
  }
  TextTable table{.title = "Nodes", .columns = {{"node"}, {"change"}, {"op"}, {"detail"}}, .rows = {}};
  for (std::size_t i = 0; i < shown(nodes.size(), top); ++i) {
    const NodeDiff& node = nodes[i];
    std::string name = node.node;
    std::string change(change_name(node.change));
    std::string op = node.op_before.empty() ? node.op_after : node.op_before;
    for (const std::string& detail : node.details.empty() ? std::vector<std::string>{""} : node.details) {
      table.rows.push_back({name, change, op, detail});
      name = change = op = "";
    }
  }
  return render_plain(table) + more_text(nodes.size(), top, "nodes") + "\n";
}

std::string became_section(const std::vector<NodeDiff>& became) {
  TextTable table{.title = "What became of the float model's nodes",
                  .columns = {{"node"}, {"op"}, {"became"}, {"computes in"}},
                  .rows = {}};
  for (const NodeDiff& node : became) {
    const bool gone = node.op_after.empty();
    table.rows.push_back({node.node, node.op_before, gone ? "nothing: folded or merged" : node.op_after,
                          gone ? "" : std::string(arithmetic_name(node.arithmetic_after))});
  }
  return render_plain(table) + "\n";
}

std::string constant_section(const std::vector<ConstantDiff>& constants, std::size_t top) {
  if (constants.empty()) {
    return "";
  }
  TextTable table{
      .title = "Constants that are not quantized", .columns = {{"constant"}, {"change"}, {"detail"}}, .rows = {}};
  for (std::size_t i = 0; i < shown(constants.size(), top); ++i) {
    table.rows.push_back({constants[i].name, std::string(change_name(constants[i].change)), constants[i].detail});
  }
  return render_plain(table) + more_text(constants.size(), top, "constants") + "\n";
}

// "3 tensors (1 changed, 2 added)"; "" for none.
template <typename Entries>
std::string count_text(const Entries& entries, const std::string& noun) {
  std::map<Change, std::size_t> counts;
  for (const auto& entry : entries) {
    ++counts[entry.change];
  }
  std::string parts;
  for (const auto& [change, count] : counts) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, change_name(change));
  }
  return entries.empty() ? ""
                         : fmt::format("{} {}{} ({})", entries.size(), noun, entries.size() == 1 ? "" : "s", parts);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += part.empty() ? "" : (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string largest_scale_text(const std::vector<TensorDiff>& tensors) {
  const TensorDiff* largest = nullptr;
  for (const TensorDiff& tensor : tensors) {
    if (tensor.scale.count > 0 &&
        (largest == nullptr || std::abs(tensor.scale.largest) > std::abs(largest->scale.largest))) {
      largest = &tensor;
    }
  }
  return largest == nullptr ? ""
                            : fmt::format("; largest change of a scale: {} in '{}'", percent(largest->scale.largest),
                                          reports::one_line(largest->tensor));
}

std::string became_summary(const std::vector<NodeDiff>& became) {
  std::map<std::string, std::size_t> counts;
  for (const NodeDiff& node : became) {
    ++counts[node.op_after.empty() ? "folded or merged" : "in " + std::string(arithmetic_name(node.arithmetic_after))];
  }
  std::string text;
  for (const auto& [what, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  }
  return fmt::format("{} float nodes: {}", became.size(), text);
}

}  // namespace

std::string render_text(const ModelDiff& diff, const Names& names, std::size_t top) {
  std::string text = fmt::format("a: {}\nb: {}\n\n", reports::one_line(names.before), reports::one_line(names.after));
  for (const std::string& line : diff.interface) {
    text += line + "\n";
  }
  text += diff.interface.empty() ? "" : "\n";
  if (!diff.became.empty()) {
    return text + became_section(diff.became) + tensor_section(diff.tensors, top) +
           fmt::format("different: one of the models is float; {}; parameters for {} tensors\n",
                       became_summary(diff.became), diff.tensors.size());
  }
  text += tensor_section(diff.tensors, top) + node_section(diff.nodes, top) + constant_section(diff.constants, top);
  if (diff.equal()) {
    return text + fmt::format("equal: {} tensors with quantization parameters and {} nodes agree\n",
                              diff.tensors_compared, diff.nodes_compared);
  }
  const std::string interface =
      diff.interface.empty() ? "" : fmt::format("{} of inputs, outputs and opsets", diff.interface.size());
  return text + "different: " +
         joined({count_text(diff.tensors, "tensor"), count_text(diff.nodes, "node"),
                 count_text(diff.constants, "constant"), interface}) +
         largest_scale_text(diff.tensors) + "\n";
}

std::string render_text(const RangeDiff& diff, const Names& names, std::size_t top) {
  std::string text = fmt::format("a: {}\nb: {}\n\n", reports::one_line(names.before), reports::one_line(names.after));
  if (diff.equal()) {
    return text + fmt::format("equal: the ranges of {} tensors agree\n", diff.compared);
  }
  TextTable table{.title = "Ranges", .columns = {{"tensor"}, {"a"}, {"b"}, {"change", Align::kRight}}, .rows = {}};
  for (std::size_t i = 0; i < shown(diff.entries.size(), top); ++i) {
    const RangeEntry& entry = diff.entries[i];
    const bool both = entry.before && entry.after;
    table.rows.push_back({entry.tensor, range_text(entry.before), range_text(entry.after),
                          both ? percent(entry.weight) : std::string(change_name(entry.change))});
  }
  text += render_plain(table) + more_text(diff.entries.size(), top, "tensors");
  return text + fmt::format("\ndifferent: {} of {} compared\n", count_text(diff.entries, "tensor"), diff.compared);
}

}  // namespace assay::diff
