#include "cli/report/page.hpp"

#include <cstdint>

#include "cli/text.hpp"

namespace hilo::cli {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; }
nav ul { columns: 2; padding-left: 1.2rem; }
section { margin-top: 3rem; }
pre { overflow-x: auto; padding: 0.8rem; border: 1px solid #8886; border-radius: 6px; font-size: 0.85rem; line-height: 1.35; }
pre.command { border-style: dashed; }
figure { margin: 1rem 0; }
img { width: 100%; background: #fff; border-radius: 6px; }
.made, figcaption { color: #808080; font-size: 0.9rem; }
.failure { border-left: 4px solid #c0392b; padding-left: 0.8rem; }
)";

// Text that a browser shows as it is.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      case '"':
        all += "&quot;";
        break;
      default:
        all += c;
    }
  }
  return all;
}

// RFC 4648, section 4.
std::string base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b) {
      group = group << 8 | (b < left ? static_cast<unsigned char>(bytes[i + b]) : 0U);
    }
    for (std::size_t d = 0; d < 4; ++d) text += d <= left ? digits[group >> (18 - 6 * d) & 63U] : '=';
  }
  return text;
}

std::string anchor(std::size_t i) { return "part" + std::to_string(i + 1); }

std::string section(std::size_t i, const ReportPart& part) {
  std::string html = "<section id=\"" + anchor(i) + "\">\n<h2>" + escaped(part.title) + "</h2>\n<p>" +
                     escaped(part.text) + "</p>\n<pre class=\"command\">$ " + escaped(shell_line(part.command)) +
                     "</pre>\n";
  if (!part.failure.empty()) html += "<p class=\"failure\">" + escaped(part.failure) + "</p>\n";
  if (!part.picture.empty()) {
    html += "<figure><img alt=\"" + escaped(part.title) + ", as a picture\" src=\"data:image/svg+xml;base64," +
            base64(part.picture) + "\"></figure>\n";
  }
  if (!part.printed.empty()) html += "<pre>" + escaped(part.printed) + "</pre>\n";
  return html + "</section>\n";
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool is_plain = !word.empty() && word.find_first_not_of(
                                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                               "0123456789-_=.,:/+") == word.npos;
    line += (line.empty() ? "" : " ") + (is_plain ? word : shell_quoted(word));
  }
  return line;
}

std::string report_page(const std::string& title, const std::string& made, const std::vector<ReportPart>& parts) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      escaped(title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<h1>" + escaped(title) +
      "</h1>\n<p class=\"made\">" + escaped(made) + "</p>\n<nav><ul>\n";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    html += "<li><a href=\"#" + anchor(i) + "\">" + escaped(parts[i].title) + "</a></li>\n";
  }
  html += "</ul></nav>\n";
  for (std::size_t i = 0; i < parts.size(); ++i) html += section(i, parts[i]);
  return html + "</body>\n</html>\n";
}

}  // namespace hilo::cli
