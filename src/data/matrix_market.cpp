#include "data/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <new>
#include <string_view>
#include <tuple>

#include "data/decimal.hpp"
#include "data/file.hpp"
#include "data/memory.hpp"
#include "data/quoted.hpp"
#include "data/scalar.hpp"

namespace hilo::data {
namespace {

enum class Field { real, integer, complex, pattern };
enum class Symmetry { general, symmetric, skew_symmetric, hermitian };

struct Header {
  bool is_array;
  Field field;
  Symmetry symmetry;
};

// A file's lines, split into words, with the messages that name the line.
class Lines {
 public:
  Lines(const std::string& path, std::string_view bytes) : path_(path), rest_(bytes) {}

  std::int64_t number() const { return number_; }
  bool at_end() const { return rest_.empty(); }
  std::int64_t left() const { return std::ssize(rest_); }

  std::string_view next() {
    ++number_;
    std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  // The words of the next line that is not empty and no comment; none at the end of the file. At most five words of
  // a line are kept, which is more than any line may have.
  const std::vector<std::string_view>& next_words() {
    words_.clear();
    while (words_.empty() && !at_end()) {
      std::string_view line = next();
      if (!line.starts_with('%')) split(line);
    }
    if (words_.empty()) ++number_;
    return words_;
  }

  void split(std::string_view line) {
    constexpr std::string_view blanks = " \t\f\v";
    words_.clear();
    for (std::size_t at = 0; words_.size() < 6;) {
      at = line.find_first_not_of(blanks, at);
      if (at == line.npos) break;
      std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
      words_.push_back(line.substr(at, end - at));
      at = end;
    }
  }
  const std::vector<std::string_view>& words() const { return words_; }

  [[noreturn]] void reject(const std::string& message, errc code = errc::parse) const {
    reject_at(number_, message, code);
  }
  [[noreturn]] void reject_at(std::int64_t line, const std::string& message, errc code = errc::parse) const {
    throw error(code, path_ + ":" + std::to_string(line) + ": " + message);
  }

 private:
  const std::string& path_;
  std::string_view rest_;
  std::vector<std::string_view> words_;
  std::int64_t number_ = 0;
};

std::string lower_case(std::string_view s) {
  std::string r(s);
  for (char& c : r) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return r;
}

template <std::size_t N>
std::size_t choice(Lines& lines, std::string_view word, const char* what, const std::array<std::string_view, N>& all) {
  std::string name = lower_case(word), list;
  for (std::size_t i = 0; i < N; ++i) {
    if (name == all[i]) return i;
    list += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(all[i]);
  }
  lines.reject(std::string(what) + " " + quoted(word) + " is not " + list);
}

Header read_header(Lines& lines, bool is_empty) {
  if (is_empty) {
    lines.next();
    lines.reject("the file is empty; a Matrix Market file starts with '%%MatrixMarket matrix'");
  }
  std::string_view line = lines.next();
  lines.split(line);
  const auto& words = lines.words();
  if (words.empty() || lower_case(words[0]) != "%%matrixmarket") {
    lines.reject("found " + quoted(line) + "; a Matrix Market file starts with '%%MatrixMarket matrix'");
  }
  if (words.size() != 5) {
    lines.reject("found " + quoted(line) + "; expected '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
  }
  if (lower_case(words[1]) != "matrix") lines.reject("object " + quoted(words[1]) + " is not matrix");
  Header h;
  h.is_array = choice(lines, words[2], "format", std::array<std::string_view, 2>{"array", "coordinate"}) == 0;
  h.field = static_cast<Field>(
      choice(lines, words[3], "field", std::array<std::string_view, 4>{"real", "integer", "complex", "pattern"}));
  h.symmetry = static_cast<Symmetry>(
      choice(lines, words[4], "symmetry",
             std::array<std::string_view, 4>{"general", "symmetric", "skew-symmetric", "hermitian"}));
  if (h.field == Field::pattern && h.is_array) lines.reject("a pattern file is coordinate, not array");
  if (h.field == Field::pattern && h.symmetry == Symmetry::skew_symmetric) {
    lines.reject("a pattern file is general or symmetric, not skew-symmetric");
  }
  if (h.symmetry == Symmetry::hermitian && h.field != Field::complex) lines.reject("a hermitian file is complex");
  return h;
}

std::int64_t read_integer(Lines& lines, std::string_view word, const char* what) {
  std::int64_t value = 0;
  auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || status == std::errc::invalid_argument) {
    lines.reject(std::string(what) + " " + quoted(word) + " is not an integer");
  }
  if (status == std::errc::result_out_of_range) {
    lines.reject(std::string(what) + " " + quoted(word) + " does not fit 64 bits", errc::overflow);
  }
  if (value < 0) lines.reject(std::string(what) + " " + quoted(word) + " is negative");
  return value;
}

// Reads the entries of one file into a dense matrix.
template <class T>
class Reader {
  using Real = real_of<T>;

 public:
  Reader(const std::string& path, std::string_view bytes, Layout layout, const Watch& watch)
      : path_(path),
        bytes_(std::ssize(bytes)),
        watch_(watch),
        lines_(path, bytes),
        header_(read_header(lines_, bytes.empty())) {
    if (header_.field == Field::complex && !is_complex<T>) {
      lines_.reject("the file is complex and cannot be read in a real precision (use c, z or zdd)", errc::unsupported);
    }
    read_sizes();
    if (header_.is_array) {
      make_matrix(layout);
      read_array();
      expect_end();
    } else {
      const std::vector<Entry> entries = read_coordinates();
      expect_end();
      make_matrix(layout);
      for (const Entry& e : entries) store(e.i, e.j, e.value);
    }
  }

  Matrix<T> take() { return std::move(matrix_); }

 private:
  bool is_general() const { return header_.symmetry == Symmetry::general; }
  bool has_diagonal() const { return header_.symmetry != Symmetry::skew_symmetric; }

  struct Entry {
    std::int64_t i, j, line;
    T value;
  };

  void read_sizes() {
    const auto& words = lines_.next_words();
    std::size_t expected = header_.is_array ? 2 : 3;
    if (words.size() != expected) {
      lines_.reject(std::string(words.empty() ? "the file ends" : "found " + quoted(words[0])) +
                    " where the sizes were expected: " + (header_.is_array ? "ROWS COLUMNS" : "ROWS COLUMNS ENTRIES"));
    }
    std::int64_t rows = read_integer(lines_, words[0], "the number of rows");
    std::int64_t columns = read_integer(lines_, words[1], "the number of columns");
    if (!is_general() && rows != columns) {
      lines_.reject("the size " + std::string(words[0]) + " x " + std::string(words[1]) +
                    " is not square, as a symmetric, skew-symmetric or hermitian matrix is");
    }
    std::int64_t all;
    if (__builtin_mul_overflow(rows, columns, &all)) {
      lines_.reject("the size " + std::string(words[0]) + " x " + std::string(words[1]) + " does not fit 64 bits",
                    errc::overflow);
    }
    entries_ = is_general() ? all : (all - rows) / 2 + (has_diagonal() ? rows : 0);
    if (!header_.is_array) {
      std::int64_t given = read_integer(lines_, words[2], "the number of entries");
      if (given > entries_) {
        lines_.reject(std::to_string(given) + " entries are more than the " + std::to_string(entries_) +
                      " of this matrix");
      }
      entries_ = given;
    }
    // An entry takes two bytes or more: a size that the file cannot hold is found before memory is asked for.
    if (entries_ > bytes_) {
      lines_.reject("the file of " + std::to_string(bytes_) + " bytes is too short for " + std::to_string(entries_) +
                    " entries");
    }
    std::tie(rows_, columns_) = std::pair(rows, columns);
    sizes_ = path_ + ":" + std::to_string(lines_.number());
    check_size<T>(rows, columns, sizes_);
  }

  void make_matrix(Layout layout) { matrix_ = zero_matrix<T>(rows_, columns_, layout, sizes_); }

  void read_array() {
    if (entries_ == 0) return;
    for (std::int64_t j = 0, read = 0; j < columns_; ++j) {
      std::int64_t first = is_general() ? 0 : has_diagonal() ? j : j + 1;
      for (std::int64_t i = first; i < rows_; ++i) {
        next_entry(read++);
        store(i, j, entry_value(0, i, j));
      }
    }
  }

  // The matrix is made after them: what a header says takes no memory before the file has kept its word.
  std::vector<Entry> read_coordinates() {
    const auto refuse = [&] {
      lines_.reject("no memory for " + std::to_string(entries_) + " entries", errc::out_of_memory);
    };
    if (entries_ > free_bytes() / static_cast<std::int64_t>(sizeof(Entry))) refuse();
    std::vector<Entry> entries;
    try {
      // What is not written takes none.
      entries.reserve(static_cast<std::size_t>(entries_));
    } catch (const std::bad_alloc&) {
      refuse();
    }
    for (std::int64_t read = 0; read < entries_; ++read) {
      const auto& words = next_entry(read);
      std::int64_t i = index(words[0], "row", rows_), j = index(words[1], "column", columns_);
      if (!is_general() && i < j) {
        lines_.reject(place(i, j) + " lies above the diagonal; a symmetric file gives the lower triangle");
      }
      if (!has_diagonal() && i == j) lines_.reject(place(i, j) + " lies on the diagonal, which is zero in this file");
      entries.push_back({i, j, lines_.number(), entry_value(2, i, j)});
    }
    reject_repeated(entries);
    return entries;
  }

  static std::string place(std::int64_t i, std::int64_t j) {
    return "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ")";
  }

  // Sorts the entries by columns, unless that is how the file has them.
  void reject_repeated(std::vector<Entry>& entries) const {
    auto before = [](const Entry& x, const Entry& y) {
      return std::tie(x.j, x.i, x.line) < std::tie(y.j, y.i, y.line);
    };
    if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
    const Entry* first = nullptr;
    for (std::size_t n = 1; n < entries.size(); ++n) {
      const Entry &x = entries[n - 1], &y = entries[n];
      if (x.i == y.i && x.j == y.j && (!first || y.line < first->line)) first = &y;
    }
    if (first) lines_.reject_at(first->line, place(first->i, first->j) + " is given twice");
  }

  void expect_end() {
    if (lines_.next_words().empty()) return;
    lines_.reject("found " + quoted(lines_.words()[0]) + " behind the last of " + std::to_string(entries_) +
                  " entries");
  }

  std::int64_t index(std::string_view word, const char* what, std::int64_t size) {
    std::int64_t value = read_integer(lines_, word, what);
    if (value < 1 || value > size) {
      lines_.reject(std::string(what) + " " + std::to_string(value) + " is not within 1 and " + std::to_string(size));
    }
    return value - 1;
  }

  // The words of the next entry, as many as the header demands.
  const std::vector<std::string_view>& next_entry(std::int64_t read) {
    constexpr std::int64_t often = 1 << 16;
    if (watch_ && read % often == 0) watch_(1.0 - static_cast<double>(lines_.left()) / static_cast<double>(bytes_));
    const auto& words = lines_.next_words();
    std::size_t numbers = header_.field == Field::complex ? 2 : header_.field == Field::pattern ? 0 : 1;
    std::size_t expected = numbers + (header_.is_array ? 0 : 2);
    if (words.empty()) {
      lines_.reject("the file ends after " + std::to_string(read) + " of " + std::to_string(entries_) + " entries");
    }
    if (words.size() != expected) {
      lines_.reject("found " + (words.size() > 5 ? std::string("more than 5") : std::to_string(words.size())) +
                    (words.size() == 1 ? " word" : " words") + ", the first " + quoted(words[0]) + "; expected " +
                    std::to_string(expected) + " for an entry");
    }
    return words;
  }

  // Entry (i, j), of the line's words from `first` on.
  T entry_value(std::size_t first, std::int64_t i, std::int64_t j) {
    if (header_.field == Field::pattern) return from_parts<T>(Real(1), Real(0));
    const auto& words = lines_.words();
    if (header_.field == Field::complex) {
      const Real re = number(words[first]), im = number(words[first + 1]);
      if (header_.symmetry == Symmetry::hermitian && i == j && im != Real(0)) {
        lines_.reject("diagonal " + place(i, j) + " of a hermitian file is not real");
      }
      return from_parts<T>(re, im);
    }
    if (header_.field == Field::integer) {
      std::string_view digits = words[first];
      if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
      if (digits.find_first_not_of("0123456789") != digits.npos) {
        lines_.reject(quoted(words[first]) + " is not an integer");
      }
    }
    return from_parts<T>(number(words[first]), Real(0));
  }

  Real number(std::string_view word) {
    Real value(0);
    std::string wrong = read_decimal(word, value);
    if (!wrong.empty()) lines_.reject(wrong);
    return value;
  }

  void store(std::int64_t i, std::int64_t j, const T& value) {
    matrix_(i, j) = value;
    if (is_general()) return;
    if (header_.symmetry == Symmetry::symmetric) {
      matrix_(j, i) = value;
    } else if (header_.symmetry == Symmetry::skew_symmetric) {
      matrix_(j, i) = -value;
    } else {
      matrix_(j, i) = from_parts<T>(real_part(value), i == j ? Real(0) : -imaginary_part(value));
    }
  }

  const std::string& path_;
  std::int64_t bytes_;
  const Watch& watch_;
  Lines lines_;
  Header header_;
  std::int64_t rows_ = 0, columns_ = 0, entries_ = 0;
  std::string sizes_;  // where they stand, for messages
  Matrix<T> matrix_;
};

}  // namespace

template <gemm_scalar T>
Matrix<T> read_matrix_market(const std::string& path, Layout layout, const Watch& watch) {
  const std::string bytes = read_file(path);
  return Reader<T>(path, bytes, layout, watch).take();
}

#define HILO_INSTANTIATE(T) template Matrix<T> read_matrix_market<T>(const std::string&, Layout, const Watch&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::data
