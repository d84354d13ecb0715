// The demonstration: products of the shipped matrices and one of order 1024 by the hilo program, on the CPU and on
// every OpenCL device, each checked against MPFR, in one table. Exit code 0 if all are verified.
//
// hilo_demo [PROGRAM [FOLDER]]: the hilo program, and the folder of the shipped matrices.
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

struct Product {
  std::string label;
  std::vector<std::string> files;  // empty: generated
  std::vector<std::string> options;
};

struct Backend {
  std::string label;
  std::vector<std::string> options;
};

struct Output {
  std::string text;
  int code;
};

std::string quoted(const std::string& word) {
  std::string s = "'";
  for (char c : word) s += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return s + "'";
}

// Standard output and error together: a run that fails prints one line and no JSON.
Output run(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) command += quoted(word) + ' ';
  std::FILE* pipe = popen((command + "2>&1").c_str(), "r");
  if (!pipe) return {"cannot be started", -1};
  Output output;
  std::array<char, 4096> buffer;
  while (std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.text.append(buffer.data(), n);
  int status = pclose(pipe);
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

// The JSON object in a program's output, whatever a driver printed around it; discarded where there is none.
json object_in(const std::string& text) {
  std::size_t first = text.find('{'), last = text.rfind('}');
  if (first == text.npos || last == text.npos || last < first) return json(json::value_t::discarded);
  return json::parse(text.substr(first, last + 1 - first), nullptr, false);
}

std::string number(const json& x, const char* format) {
  if (!x.is_number()) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, x.get<double>());
  return text;
}

void print_row(const std::vector<std::string>& cells) {
  constexpr std::array<int, 8> widths = {-22, -22, -34, 8, 8, 6, 6, 0};
  for (std::size_t i = 0; i < widths.size(); ++i)
    std::printf("%*s%s", widths[i], cells[i].c_str(), i < 7 ? "  " : "\n");
}

std::vector<Backend> backends(const std::string& program) {
  std::vector<Backend> all = {{"cpu", {}}};
  Output info = run({program, "info", "--json"});
  json report = object_in(info.text);
  if (report.is_discarded()) {
    std::cout << "hilo info failed: " << info.text << '\n';
    return all;
  }
  int p = 0;
  for (const json& platform : report["platforms"]) {
    for (std::size_t d = 0; d < platform["devices"].size(); ++d) {
      all.push_back({"opencl " + std::to_string(p) + ":" + std::to_string(d),
                     {"--backend", "opencl", "-p", std::to_string(p), "-d", std::to_string(d)}});
    }
    ++p;
  }
  return all;
}

// Runs one product and prints its row. Returns whether it is verified.
bool show(const std::string& program, const std::string& folder, const Product& product, const Backend& backend) {
  std::vector<std::string> words = {program, "gemm"};
  for (const std::string& file : product.files) words.push_back(folder + "/" + file);
  words.insert(words.end(), product.options.begin(), product.options.end());
  words.insert(words.end(), backend.options.begin(), backend.options.end());
  words.insert(words.end(), {"--verify", "--json"});
  Output output = run(words);
  json r = object_in(output.text);
  if (r.is_discarded()) {
    std::string reason = output.text.substr(0, output.text.find('\n'));
    std::cout << product.label << ", " << backend.label << ": " << reason << '\n';
    return false;
  }
  bool verified = output.code == 0 && r["verified"] == true;
  std::string size = r["precision"].get<std::string>() + " " + std::to_string(r["m"].get<long>()) + " x " +
                     std::to_string(r["n"].get<long>()) + " x " + std::to_string(r["k"].get<long>());
  std::string device = backend.label + ": " + r["device"].get<std::string>();
  print_row({product.label, size, device.substr(0, 34), number(r["gflops_kernel"], "%.2f"),
             number(r["entries_checked"], "%.0f"), number(r["max_error_u2"], "%.2f"),
             number(r["error_bound_u2"], "%.0f"), verified ? "verified" : "WRONG"});
  std::fflush(stdout);
  return verified;
}

}  // namespace

int main(int argc, char** argv) {
  std::string program = argc > 1 ? argv[1] : HILO_PROGRAM_FILE, folder = argc > 2 ? argv[2] : HILO_DATA_FOLDER;
  const std::vector<Product> products = {
      {"Hilbert * its inverse", {"hilbert12.mtx", "hilbert12_inverse.mtx"}, {}},
      {"Wilson * its inverse", {"wilson.mtx", "wilson_inverse.mtx"}, {}},
      {"Rosser * Rosser", {"rosser.mtx", "rosser.mtx"}, {}},
      {"Pascal * Pascal", {"pascal20.mtx", "pascal20.mtx"}, {}},
      {"Frank * Frank^T, fast", {"frank16.mtx", "frank16.mtx"}, {"--transb", "T", "--accuracy", "fast"}},
      {"Kahan^T * Kahan", {"kahan24.mtx", "kahan24.mtx"}, {"--transa", "T"}},
      {"Laplacian * Laplacian", {"laplacian64.mtx", "laplacian64.mtx"}, {}},
      {"Fourier * Fourier^H", {"fourier16.mtx", "fourier16.mtx"}, {"--precision", "zdd", "--transb", "C"}},
      {"uniform numbers", {}, {"-n", "1024"}},
      {"uniform numbers, fast", {}, {"-n", "1024", "--accuracy", "fast"}},
  };
  std::cout << "Products in double-double, each checked against MPFR with 256 bits.\n"
               "error, bound: largest found and guaranteed, in 2^-106 (|A||B|), entry by entry\n\n";
  std::cout.flush();
  print_row({"product", "size", "backend", "GFlop/s", "checked", "error", "bound", "verdict"});
  bool all_verified = true;
  for (const Backend& backend : backends(program)) {
    for (const Product& product : products) all_verified &= show(program, folder, product, backend);
  }
  std::cout << (all_verified ? "\nAll products are verified.\n" : "\nSome products are NOT verified.\n");
  return all_verified ? 0 : 1;
}
