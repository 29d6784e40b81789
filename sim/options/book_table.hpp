#pragma once

#include <filesystem>

#include "io/config/document.hpp"

namespace ergode::sim::options {

/// The options of a CSV book as a config's list of mappings, whose positions are those of the cells. Columns are named
/// like the keys of an option, those of a section with a dot (`lsm.order`); an empty cell leaves its key out. The items
/// of a list are separated by | or blanks, the rows of a matrix by |. Throws io::Error(input_file) with all that is
/// wrong with the table: a header with unknown or repeated columns, rows of another length, no rows.
io::Node read_book(const std::filesystem::path& path);

}  // namespace ergode::sim::options
