#include "cli/bench/table.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <ostream>

#include "cli/text.hpp"

namespace hilo::cli {
namespace {

constexpr std::size_t widest_table = 80;
constexpr std::size_t widest_number = 9;  // "1.234e-05"
constexpr std::size_t widest_error = 7;   // "1.2e-05"

std::string rate(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 1000.0 ? "%.4g" : "%.0f", x);
  return text;
}

std::string two_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", x);
  return text;
}

std::string count(std::int64_t n) { return n ? std::to_string(n) : "-"; }

// "auto: direct" where that is not what was asked for.
std::string engine_of(const BenchRow& row) {
  std::string text(name(row.what.options.engine));
  if (row.report && row.report->plan.engine != row.what.options.engine) {
    text += ": " + std::string(name(row.report->plan.engine));
  }
  return text;
}

bool moves_data(const BenchRow& row) { return row.what.place.backend == Backend::opencl; }

bool has(const BenchRequest& request, Routine routine) {
  return std::any_of(request.cases.begin(), request.cases.end(),
                     [&](const BenchCase& what) { return what.routine == routine; });
}

// The first of those that need not be shown go first where all are too wide.
enum class Need { always, error, seconds, moduli, best, best_total, bits };

struct Column {
  std::string head;
  std::size_t width;  // of all lines, of which most are still to come: longer cells stand out
  bool is_left;
  Need need;
  std::function<std::string(const BenchSize&, const BenchRow&)> cell;
  std::function<std::string(const BenchSize&)> of_reference = {};
};

class Columns {
 public:
  void add(const std::string& head, std::size_t width, Need need, auto cell,
           std::function<std::string(const BenchSize&)> of_reference = {}) {
    all_.push_back({head, std::max(width, head.size()), false, need, cell, std::move(of_reference)});
  }
  void add_word(const std::string& head, std::size_t width, auto cell,
                std::function<std::string(const BenchSize&)> of_reference = {}) {
    add(head, width, Need::always, cell, std::move(of_reference));
    all_.back().is_left = true;
  }

  std::vector<Column> fitted() const {
    std::vector<Column> columns = all_;
    for (Need need : {Need::bits, Need::best_total, Need::best, Need::moduli, Need::seconds, Need::error}) {
      if (width(columns) <= widest_table) break;
      std::erase_if(columns, [&](const Column& column) { return column.need == need; });
    }
    return columns;
  }

 private:
  static std::size_t width(const std::vector<Column>& columns) {
    std::size_t all = 2 * (columns.size() - 1);
    for (const Column& column : columns) all += column.width;
    return all;
  }

  std::vector<Column> all_;
};

std::size_t widest_shape(const BenchRequest& request) {
  std::size_t width = 0;
  for (const Shape& shape : request.shapes) width = std::max(width, in_words(shape).size());
  return width;
}

std::size_t widest_engine(const BenchRequest& request) {
  std::size_t width = request.reference ? std::string_view("reference").size() : 0;
  for (const BenchCase& what : request.cases) {
    const Engine engine = what.options.engine;
    const bool chooses =
        what.routine == Routine::gemm && (engine == Engine::automatic || engine == Engine::reproducible);
    width = std::max(width, name(engine).size() + (chooses ? std::string_view(": modular").size() : 0));
  }
  return width;
}

// What rows are of.
void add_keys(const BenchRequest& request, Columns& columns) {
  const Differences differ = differences(request.cases);
  columns.add(
      are_square(request.shapes)    ? "n"
      : has(request, Routine::gemm) ? "m x n x k"
                                    : "shape",
      widest_shape(request), Need::always, [](const BenchSize& size, const BenchRow&) { return in_words(size.shape); },
      [](const BenchSize& size) { return in_words(size.shape); });
  if (differ.routine) {
    columns.add_word("routine", 5,
                     [](const auto&, const BenchRow& row) { return std::string(name(row.what.routine)); });
  }
  if (differ.precision) {
    columns.add_word("in", 3, [](const auto&, const BenchRow& row) { return std::string(name(row.what.precision)); });
  }
  if (differ.transposes)
    columns.add_word("op", 2, [](const auto&, const BenchRow& row) { return transposes(row.what); });
  if (differ.place) {
    std::size_t width = 0;
    for (const BenchCase& what : request.cases) width = std::max(width, place_name(what.place).size());
    columns.add_word("on", width, [](const auto&, const BenchRow& row) { return place_name(row.what.place); });
  }
  if (differ.threads) {
    columns.add("threads", 1, Need::always, [](const auto&, const BenchRow& row) {
      const int asked = row.what.options.threads;
      return count(asked && !moves_data(row) ? asked : row.threads);
    });
  }
  columns.add_word(
      "engine", widest_engine(request), [](const auto&, const BenchRow& row) { return engine_of(row); },
      [](const auto&) { return std::string("reference"); });
}

std::vector<Column> columns_of(const BenchRequest& request) {
  Columns columns;
  add_keys(request, columns);
  columns.add(
      "kernel", widest_number, Need::always,
      [](const auto&, const BenchRow& row) { return rate(kernel_speed(row).median); },
      [](const BenchSize& size) { return rate(size.reference->gflops_kernel); });
  columns.add("best", widest_number, Need::best,
              [](const auto&, const BenchRow& row) { return rate(kernel_speed(row).best); });
  if (moves_data(request)) {
    // A reference has its total also beside products on the CPU, where no column waits for it.
    columns.add(
        "total", widest_number, Need::always,
        [](const auto&, const BenchRow& row) { return moves_data(row) ? rate(total_speed(row).median) : "-"; },
        [](const BenchSize& size) { return rate(size.reference->gflops_total); });
    columns.add("best", widest_number, Need::best_total,
                [](const auto&, const BenchRow& row) { return moves_data(row) ? rate(total_speed(row).best) : "-"; });
  }
  columns.add("seconds", widest_number, Need::seconds,
              [](const auto&, const BenchRow& row) { return digits(row.kernel.median); });
  if (has(request, Routine::gemm)) {
    columns.add("moduli", 1, Need::moduli,
                [](const auto&, const BenchRow& row) { return row.report ? count(row.report->plan.moduli) : "-"; });
    columns.add("bits", 1, Need::bits,
                [](const auto&, const BenchRow& row) { return row.report ? count(row.report->plan.bits) : "-"; });
  }
  if (request.has_ceilings) {
    columns.add("%", 5, Need::always, [](const auto&, const BenchRow& row) {
      return row.ceiling ? percent(kernel_speed(row).median / row.ceiling->gflops) : "-";
    });
  }
  columns.add("error", widest_error, Need::error, [](const auto&, const BenchRow& row) {
    const std::optional<double> error = error_of(row);
    return error ? two_digits(*error) : "-";
  });
  if (request.reference) {
    const auto ratio = [](double x, const BenchSize& size, double ReferenceSpeed::*speed) {
      return size.reference ? digits(x / (*size.reference).*speed) : "";
    };
    columns.add("/reference", widest_number, Need::always, [ratio](const BenchSize& size, const BenchRow& row) {
      return ratio(kernel_speed(row).median, size, &ReferenceSpeed::gflops_kernel);
    });
    if (moves_data(request)) {
      columns.add("total/reference", widest_number, Need::always, [ratio](const BenchSize& size, const BenchRow& row) {
        return moves_data(row) ? ratio(total_speed(row).median, size, &ReferenceSpeed::gflops_total) : "";
      });
    }
  }
  return columns.fitted();
}

// "ddgemm NN, n x n x n", or "gemm, getrf in d, dd".
std::string what_is_measured(const BenchResult& result) {
  const BenchRequest& request = result.request;
  const BenchCase& p = request.cases.front();
  const Differences differ = differences(request.cases);
  std::string routines, precisions;
  const auto append = [](std::string& list, std::string_view word) {
    if ((", " + list + ", ").find(", " + std::string(word) + ", ") != list.npos) return;
    list += (list.empty() ? "" : ", ") + std::string(word);
  };
  for (const BenchCase& what : request.cases) {
    append(routines, name(what.routine));
    append(precisions, name(what.precision));
  }
  std::string text = differ.precision ? routines + " in " + precisions
                     : differ.routine ? routines + " in " + std::string(name(p.precision))
                                      : std::string(name(p.precision)) + routines;
  std::string of_both;
  for (const BenchCase& what : request.cases) of_both = std::max(of_both, transposes(what));
  if (!differ.transposes && !of_both.empty()) text += " " + of_both;
  if (is_product(p.routine) && !differ.routine) {
    text += are_square(request.shapes) ? ", n x n x n" : ", m x n x k";
  }
  if (has(request, Routine::batch)) {
    const auto batch = std::find_if(request.cases.begin(), request.cases.end(),
                                    [](const BenchCase& what) { return what.routine == Routine::batch; });
    text += ", " + std::to_string(batch->count) + " products a batch";
  }
  return text + ", " + std::string(name(p.layout)) + " layout, " + accuracy_name(p.options) + ", entries " +
         result.init + ", seed " + std::to_string(p.seed);
}

// What the errors are.
std::string errors(const BenchRequest& request) {
  const bool has_gemm = has(request, Routine::gemm);
  std::string text;
  if (has_gemm) {
    text = differences(request.cases).precision ? "units of the precision"
                                                : error_unit_name(request.cases.front().precision);
    text = "of gemm the largest of some entries, in " + text + " |A||B|";
  }
  const bool has_other = std::any_of(request.cases.begin(), request.cases.end(),
                                     [](const BenchCase& what) { return what.routine != Routine::gemm; });
  if (has_other) text += std::string(has_gemm ? "; " : "") + "LAPACK's ratio, residual / (n |A| |x| epsilon)";
  return text;
}

// What the percentages are of.
std::string ceilings(const BenchResult& result) {
  std::string of_products, on_device, of_others;
  for (const BenchCase& what : result.request.cases) {
    const std::string routine(name(what.routine));
    if (!is_product(what.routine)) {
      if ((of_others + ',').find(" " + routine + ",") == std::string::npos) {
        of_others += (of_others.empty() ? " " : ", ") + routine;
      }
    } else if (what.place.backend == Backend::cpu) {
      of_products =
          "of one core's multiply-adds or steps (direct) or products of bytes (modular), by the threads that "
          "run at once";
    } else {
      on_device = "of multiply-adds or steps in the device's registers (direct) or its products of bytes (modular)";
    }
  }
  std::string text;
  if (!of_others.empty()) of_others = "of gemm in this run (" + of_others.substr(1) + ")";
  for (const std::string& of : {of_products, on_device, of_others}) {
    if (!of.empty()) text += (text.empty() ? "" : "; ") + of;
  }
  return text;
}

void print_head(std::ostream& out, const BenchResult& result) {
  const BenchRequest& request = result.request;
  const Differences differ = differences(request.cases);
  const BenchCase& p = request.cases.front();
  const bool are_products = is_product(p.routine) && !differ.routine;
  out << wrapped(are_products ? "products   " : "routines   ", 11, what_is_measured(result));
  out << wrapped("backend    ", 11, (differ.place ? "" : std::string(name(p.place.backend)) + ": ") + units(result));
  if (const ReferenceSpeed* r = reference(result)) out << wrapped("reference  ", 11, r->name + " on " + r->device);
  out << wrapped("GFlop/s    ", 11,
                 "median and best of " + std::to_string(p.repeat) + " runs or more, after one to warm up" +
                     (moves_data(request) ? "; total: with the transfers of A, B and C" : ""));
  if (request.has_ceilings) out << wrapped("%          ", 11, ceilings(result));
  out << wrapped("error      ", 11, errors(request)) << '\n';
}

// Ways that products took and their engines' names do not tell.
void print_paths(std::ostream& out, const BenchResult& result) {
  std::map<std::string, std::set<std::string>> shapes;
  for (const BenchSize& size : result.findings.sizes) {
    for (const BenchRow& row : size.rows) {
      const Path path = row.report ? row.report->plan.path : Path::direct;
      if (path != Path::direct && path != Path::modular) shapes[std::string(name(path))].insert(in_words(size.shape));
    }
  }
  for (const auto& [path, where] : shapes) {
    std::string text = path + ": ";
    for (const std::string& shape : where) text += (shape == *where.begin() ? "" : ", ") + shape;
    out << '\n' << wrapped("path       ", 11, text);
  }
}

}  // namespace

void BenchTable::print_done(const BenchResult& result) {
  const std::vector<BenchSize>& sizes = result.findings.sizes;
  for (; printed_ < sizes.size() && sizes[printed_].is_done; ++printed_) print(result, sizes[printed_]);
  out_.flush();
}

void BenchTable::print(const BenchResult& result, const BenchSize& size) {
  const std::vector<Column> columns = columns_of(result.request);
  std::vector<Line> lines;
  const auto append = [&](auto cell) {
    Line line;
    for (const Column& column : columns) line.push_back(cell(column));
    lines.push_back(line);
  };
  if (&size == &result.findings.sizes.front()) {
    print_head(out_, result);
    append([](const Column& column) { return column.head; });
  }
  for (const BenchRow& row : size.rows) append([&](const Column& column) { return column.cell(size, row); });
  if (size.reference) {
    append([&](const Column& column) { return column.of_reference ? column.of_reference(size) : std::string(); });
  }
  std::vector<std::size_t> widths;
  for (const Column& column : columns) widths.push_back(column.width);
  print_lines(
      out_, lines, [&](std::size_t i) { return columns[i].is_left; }, widths);
}

void BenchTable::print_end(const BenchResult& result) {
  print_done(result);
  const BenchFindings& found = result.findings;
  if (printed_ < found.sizes.size() && !found.sizes.back().rows.empty()) print(result, found.sizes.back());
  print_paths(out_, result);
  if (!found.left_out.empty()) {
    std::string sizes;
    for (const Shape& shape : found.left_out) sizes += (sizes.empty() ? "" : ", ") + in_words(shape);
    out_ << '\n'
         << wrapped("left out   ", 11,
                    "n = " + sizes + ", as all would take more than a minute; --sizes names what to run");
  }
  if (result.is_interrupted) {
    const auto done = std::count_if(found.sizes.begin(), found.sizes.end(), [](const auto& s) { return s.is_done; });
    out_ << "\ninterrupted after " << done << " of " << result.request.shapes.size() << " sizes\n";
  }
  if (!result.csv.empty()) out_ << "\nvalues     " << result.csv << '\n';
  if (!result.plot.empty()) out_ << "\nplot       " << result.plot << '\n';
}

}  // namespace hilo::cli
