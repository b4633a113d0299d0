// SPDX-License-Identifier: Apache-2.0
// Where a reader of a file of routes takes its octets from: a file, gzip or plain, or memory.
// Pulled in pieces, so that a file of any size takes little memory. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hh"

namespace rackway::table_file {

class OctetSource {
 public:
  virtual ~OctetSource() = default;
  // As many octets as there are, at most those of `into`; 0 at the end, or where it is broken().
  [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
  // What came was not all: the compressed stream is damaged or cut off, or the disk fails.
  [[nodiscard]] virtual bool broken() const = 0;
};

// What it is given must outlive it.
class MemorySource : public OctetSource {
 public:
  explicit MemorySource(std::string_view octets) : rest_(octets) {}
  std::size_t read(std::span<char> into) override;
  bool broken() const override { return false; }

 private:
  std::string_view rest_;
};

// A file of gzip members (RFC 1952), or one that is none and is read as it is.
class FileSource : public OctetSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<char> into) override;
  bool broken() const override { return broken_; }

  // Octets of the file as it lies on the disk: all of it (0 for what has no size), and those read.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t position() const;

 private:
  FileSource(void* file, std::uint64_t size) : file_(file), size_(size) {}

  void* file_;  // zlib's gzFile
  std::uint64_t size_;
  bool broken_ = false;
};

}  // namespace rackway::table_file
