#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ergode::io {

/// Replaces `path` by `text` in one step (temporary file, fsync, rename): a reader sees the old text or the new, never
/// a part. Throws Error(io); the old file is untouched then.
void write_text(const std::filesystem::path& path, std::string_view text);

/// The same unless there is a file of that name, which is said by false: of several processes one wins.
bool write_text_once(const std::filesystem::path& path, std::string_view text);

/// The whole file; nullopt when it cannot be read, or is no regular file.
std::optional<std::string> read_text(const std::filesystem::path& path);

/// Makes `directory` and its parents, and writes and removes a file in it, so that what would fail later fails now.
/// Throws Error(io).
void make_writable_directory(const std::filesystem::path& directory);

}  // namespace ergode::io
