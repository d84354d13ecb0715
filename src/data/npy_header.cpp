#include "data/npy_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "data/npy_entry.hpp"
#include "data/quoted.hpp"

namespace hilo::data {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

// The dtypes in the order of Precision, as NumPy writes them, without blanks.
constexpr std::array<std::string_view, 6> dtypes = {
    "'<f4'",
    "'<f8'",
    "'<c8'",
    "'<c16'",
    "[('hi','<f8'),('lo','<f8')]",
    "[('re_hi','<f8'),('re_lo','<f8'),('im_hi','<f8'),('im_lo','<f8')]"};

// The Python literals that headers are made of.
class Literal {
 public:
  Literal(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  [[noreturn]] void reject(const std::string& expected) {
    skip_blanks();
    throw error(errc::parse,
                path_ + ": the .npy header has " + quoted(text_.substr(at_)) + " where " + expected + " was expected");
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) reject(quoted(token));
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  std::string string() {
    skip_blanks();
    char quote = at_ < text_.size() ? text_[at_] : '\0';
    std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : text_.npos;
    if (end == text_.npos) reject("a string");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    if (take("True")) return true;
    if (take("False")) return false;
    reject("True or False");
  }

  // (n, …), with a comma behind the last number allowed, and demanded where it is the only one.
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> sizes;
    expect("(");
    while (!take(")")) {
      skip_blanks();
      std::int64_t size = 0;
      auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (status == std::errc::result_out_of_range) {
        throw error(errc::overflow, path_ + ": a size in the .npy header does not fit 64 bits");
      }
      if (status != std::errc{} || size < 0) reject("a size");
      at_ = static_cast<std::size_t>(end - text_.data());
      sizes.push_back(size);
      take("L");
      if (take(",")) continue;
      expect(")");
      break;
    }
    return sizes;
  }

  // A dtype's text without blanks, each string in single quotes.
  std::string dtype() {
    if (!take("[")) return quoted(string());
    std::string text = "[";
    while (!take("]")) {
      expect("(");
      std::string field = "(";
      field += quoted(string()) + ",";
      expect(",");
      field += quoted(string());
      // A field that is itself an array is named as such, and is then no dtype of ours.
      if (!take(",")) {
        expect(")");
      } else if (!take(")")) {
        field += ",…)";
        while (at_ < text_.size() && !take("]")) ++at_;
        return text + field + "]";
      }
      text += (text.size() > 1 ? "," : "") + field + ")";
      if (take(",")) continue;
      expect("]");
      break;
    }
    return text + "]";
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Precision precision_of_dtype(const std::string& path, std::string dtype) {
  std::replace(dtype.begin(), dtype.end(), '=', '<');
  auto found = std::find(dtypes.begin(), dtypes.end(), dtype);
  if (found != dtypes.end()) return static_cast<Precision>(found - dtypes.begin());
  std::string hint = dtype.find('>') != dtype.npos ? " (big-endian: convert it with .astype or .byteswap)" : "";
  throw error(errc::unsupported, path + ": dtype " + dtype + hint + " is none of " + std::string(dtypes[0]) + ", " +
                                     std::string(dtypes[1]) + ", " + std::string(dtypes[2]) + ", " +
                                     std::string(dtypes[3]) + ", " + std::string(dtypes[4]) + " and " +
                                     std::string(dtypes[5]));
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

NpyHeader read_npy_header(const std::string& path, std::string_view bytes) {
  auto reject = [&](const std::string& message) { throw error(errc::parse, path + ": " + message); };
  if (bytes.empty()) reject("the file is empty; a .npy file starts with \\x93NUMPY");
  if (!bytes.starts_with(magic)) reject("the file does not start with \\x93NUMPY as a .npy file does");
  if (bytes.size() < magic.size() + 2) reject("the file ends within the .npy header");
  int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3 || bytes[7] != 0) {
    reject(".npy version " + std::to_string(version) + "." + std::to_string(static_cast<unsigned char>(bytes[7])) +
           " is none of 1.0, 2.0 and 3.0");
  }
  std::size_t length_bytes = version == 1 ? 2 : 4, start = magic.size() + 2 + length_bytes;
  if (bytes.size() < start) reject("the file ends within the .npy header");
  std::size_t length = little_endian(bytes.substr(magic.size() + 2, length_bytes));
  if (bytes.size() - start < length) reject("the file ends within the .npy header");

  NpyHeader header;
  header.bytes = start + length;
  Literal text(path, bytes.substr(start, length));
  bool has_dtype = false, has_order = false, has_shape = false;
  text.expect("{");
  while (!text.take("}")) {
    std::string key = text.string();
    text.expect(":");
    if (key == "descr") {
      header.precision = precision_of_dtype(path, text.dtype());
      has_dtype = true;
    } else if (key == "fortran_order") {
      header.fortran_order = text.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = text.shape();
      has_shape = true;
    } else {
      reject("the .npy header has the key " + quoted(key) + "; expected descr, fortran_order and shape");
    }
    if (text.take(",")) continue;
    text.expect("}");
    break;
  }
  if (!text.at_end()) text.reject("its end");
  if (!has_dtype || !has_order || !has_shape) {
    reject(std::string("the .npy header lacks ") + (!has_dtype ? "descr" : !has_order ? "fortran_order" : "shape"));
  }
  return header;
}

void check_npy(const std::string& path, const NpyHeader& header, std::int64_t bytes_behind, Precision as) {
  auto reject = [&](errc code, const std::string& message) { throw error(code, path + ": " + message); };
  if (header.shape.size() != 2) {
    reject(errc::unsupported, "the array has " + std::to_string(header.shape.size()) +
                                  (header.shape.size() == 1 ? " dimension" : " dimensions") + "; a matrix has 2");
  }
  const Precision file = header.precision;
  if (npy_width(file) > npy_width(as) || (precisions::is_complex(file) && !precisions::is_complex(as))) {
    reject(errc::unsupported, "the file's precision is " + std::string(name(file)) + ", which " +
                                  std::string(name(as)) + " does not hold");
  }
  const std::int64_t rows = header.shape[0], columns = header.shape[1];
  std::int64_t expected;
  if (__builtin_mul_overflow(rows, columns, &expected) ||
      __builtin_mul_overflow(expected, element_bytes(file), &expected)) {
    reject(errc::overflow,
           "the bytes of " + std::to_string(rows) + " x " + std::to_string(columns) + " entries do not fit 64 bits");
  }
  if (bytes_behind != expected) {
    reject(errc::parse, "the file has " + std::to_string(bytes_behind) + " bytes behind its header; expected " +
                            std::to_string(expected) + " for " + std::to_string(rows) + " x " +
                            std::to_string(columns) + " entries");
  }
}

std::string npy_header(Precision precision, bool fortran_order, std::int64_t rows, std::int64_t columns) {
  std::string text = "{'descr': " + std::string(dtypes[static_cast<std::size_t>(precision)]) +
                     ", 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': (" +
                     std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  std::size_t before = magic.size() + 4;
  text.append(63 - (before + text.size()) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace hilo::data
