// SPDX-License-Identifier: Apache-2.0
// Writes SVG 1.1: lines, rectangles, circles and texts with the classes of a style sheet. Numbers
// have one decimal, so that the same drawing gives the same octets everywhere.
#pragma once

#include <string>
#include <string_view>

namespace rackway::plan {

class SvgCanvas {
 public:
  SvgCanvas(double width, double height, std::string_view title, std::string_view style);

  void line(std::string_view css, double x1, double y1, double x2, double y2);
  // A curve that leaves and arrives horizontally.
  void curve(std::string_view css, double x1, double y1, double x2, double y2);
  void box(std::string_view css, double x, double y, double width, double height, double round = 0);
  void circle(std::string_view css, double x, double y, double radius);
  // `css` may name several classes; start, middle and end are anchors.
  void text(std::string_view css, double x, double y, std::string_view words);
  [[nodiscard]] std::string finish() &&;

 private:
  std::string out_;
};

}  // namespace rackway::plan
