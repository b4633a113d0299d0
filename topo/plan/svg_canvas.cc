// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/svg_canvas.hh"

#include <cmath>

namespace rackway::plan {
namespace {

std::string number(double value) {
  const auto tenths = std::llround(value * 10);
  const auto magnitude = std::llabs(tenths);
  std::string text = (tenths < 0 ? "-" : "") + std::to_string(magnitude / 10);
  if (magnitude % 10 != 0) text += "." + std::to_string(magnitude % 10);
  return text;
}

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + number(value) + "\"";
}

std::string escaped(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else if (c == '"')
      text += "&quot;";
    else
      text += c;
  }
  return text;
}

std::string css_class(std::string_view css) {
  return " class=\"" + std::string(css) + "\"";
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view title, std::string_view style) {
  out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
         attribute("width", width) + attribute("height", height) + " viewBox=\"0 0 " +
         number(width) + " " + number(height) + "\">\n<title>" + escaped(title) +
         "</title>\n<style>" + escaped(style) + "</style>\n";
}

void SvgCanvas::line(std::string_view css, double x1, double y1, double x2, double y2) {
  out_ += "<line" + css_class(css) + attribute("x1", x1) + attribute("y1", y1) +
          attribute("x2", x2) + attribute("y2", y2) + "/>\n";
}

void SvgCanvas::curve(std::string_view css, double x1, double y1, double x2, double y2) {
  const auto middle = number((x1 + x2) / 2);
  out_ += "<path" + css_class(css) + " d=\"M" + number(x1) + " " + number(y1) + "C" + middle + " " +
          number(y1) + " " + middle + " " + number(y2) + " " + number(x2) + " " + number(y2) +
          "\"/>\n";
}

void SvgCanvas::box(std::string_view css, double x, double y, double width, double height,
                    double round) {
  out_ += "<rect" + css_class(css) + attribute("x", x) + attribute("y", y) +
          attribute("width", width) + attribute("height", height) +
          (round > 0 ? attribute("rx", round) : "") + "/>\n";
}

void SvgCanvas::circle(std::string_view css, double x, double y, double radius) {
  out_ += "<circle" + css_class(css) + attribute("cx", x) + attribute("cy", y) +
          attribute("r", radius) + "/>\n";
}

void SvgCanvas::text(std::string_view css, double x, double y, std::string_view words) {
  out_ += "<text" + css_class(css) + attribute("x", x) + attribute("y", y) + ">" + escaped(words) +
          "</text>\n";
}

std::string SvgCanvas::finish() && {
  return std::move(out_) + "</svg>\n";
}

}  // namespace rackway::plan
