#include "io/series.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "io/fs/file.hpp"
#include "io/hdf5/reader.hpp"
#include "io/hdf5/sealed_file.hpp"
#include "io/hdf5/writer.hpp"

namespace ergode::io {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto flush_interval = std::chrono::seconds(2);

// A chunk and its checksum lie within one page of the page cache, aligned, and so does a block of metadata: a kill in
// the middle of a write() cuts it at a page's end, and so tears none of them.
constexpr hsize_t page = 4096;
constexpr hsize_t chunk_rows(std::size_t width) {
  return std::max<hsize_t>(1, (page - 4) / (8 * std::max<std::size_t>(width, 1)));
}

}  // namespace

struct SeriesWriter::Impl {
  std::filesystem::path path;
  SeriesLayout layout;
  hdf5::Place place;
  hdf5::Handle file;
  std::vector<SeriesColumnRows> columns;
  std::vector<hdf5::Handle> datasets;  ///< of the columns, in the live file
  std::int64_t rows_in_file = 0;
  std::int64_t rows_waiting = 0;
  Clock::time_point last_flush = Clock::now();
  bool sealed = false;
  DiskRetry retry;

  Impl(std::filesystem::path p, SeriesLayout l)
      : path(std::move(p)), layout(std::move(l)), place{ExitCode::io, path}, columns(series_columns(layout)) {}
  ~Impl() {
    try {
      if (file.valid()) write_waiting();
    } catch (const Error&) {
      abandon();  // who wants to know calls flush() before
    }
    close();
  }

  /// After an error below HDF5 its identifiers must not be closed: that is what crashes. They stay open, unused.
  void abandon() {
    for (auto& dataset : datasets) dataset.release();
    file.release();
  }
  void close() {
    for (auto& dataset : datasets)
      if (dataset.reset() < 0) return abandon();
    if (file.reset() < 0) abandon();
  }
  void check(herr_t status, const char* doing, const std::string& object = {}) {
    if (status >= 0) return;
    abandon();
    place.fail(doing, object);
  }

  /// Makes the file under a temporary name with the rows of `old`, starts SWMR, and gives it its name: under that name
  /// there is at no time a file that cannot be read.
  void create(const FileReader* old, std::int64_t rows) {
    hdf5::start();
    fs::ignore_file_size_signal();
    fs::Temporary temporary(path);
    try {
      make_file(temporary.path());
      if (rows > 0) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
          const SeriesColumnRows& column = columns[i];
          const Array values = old->first_rows("/" + column.about.name, column.about.type, rows);
          if (values.count() != rows * static_cast<std::int64_t>(column.width))
            throw Error(ExitCode::io, "cannot continue '" + path.string() + "': '" + column.about.name +
                                          "' has another width than this run writes");
          write_rows(i, 0, rows, values.bytes.data());
        }
        rows_in_file = rows;
      }
      for (std::size_t i = 0; i < columns.size(); ++i) check(datasets[i].reset(), "write", columns[i].about.name);
      check(H5Fflush(file, H5F_SCOPE_GLOBAL), "write");
      check(H5Fstart_swmr_write(file), "start the live mode of");
      open_columns();
      sync();
      temporary.commit();
    } catch (...) {
      abandon();
      throw;
    }
  }

  void make_file(const std::filesystem::path& name) {
    const hdf5::Handle access = place.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set file properties");
    place.check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "set file properties");
    place.check(H5Pset_alignment(access, page / 4, page), "set file properties");
    // The run directory has its own lock; HDF5's fails on some network file systems and shuts readers out.
    place.check(H5Pset_file_locking(access, false, true), "set file properties");
    file = place.own(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "make");
    hdf5::write_content(place, file, series_frame(layout));
    for (const auto& column : columns) make_column(column);
    for (const auto& column : columns) {
      const std::string name_in_file = "/" + column.about.name;
      if (&column != &columns.front()) hdf5::attach_scale(place, file, name_in_file, "/" + layout.scale.name, 0);
      if (!column.about.dimension.empty())
        hdf5::attach_scale(place, file, name_in_file, "/" + column.about.dimension, 1);
    }
    open_columns();
  }

  void make_column(const SeriesColumnRows& column) {
    const int rank = column.about.dimension.empty() ? 1 : 2;
    const hsize_t width = column.width;
    const hsize_t extent[2] = {0, width}, most[2] = {H5S_UNLIMITED, width}, chunk[2] = {chunk_rows(width), width};
    const hdf5::Handle space = place.own(H5Screate_simple(rank, extent, most), H5Sclose, "make", column.about.name);
    const hdf5::Handle properties = place.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make", column.about.name);
    place.check(H5Pset_chunk(properties, rank, chunk), "make", column.about.name);
    place.check(H5Pset_shuffle(properties), "make", column.about.name);
    place.check(H5Pset_fletcher32(properties), "make", column.about.name);
    // A reader that meets a row in the making sees no number, not a zero.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::int64_t none = -1;
    const bool integer = column.about.type == Type::int64;
    place.check(H5Pset_fill_value(properties, hdf5::memory_type(column.about.type),
                                  integer ? static_cast<const void*>(&none) : &nan),
                "make", column.about.name);
    const hdf5::Handle dataset =
        place.own(H5Dcreate2(file, column.about.name.c_str(), hdf5::file_type(column.about.type), space, H5P_DEFAULT,
                             properties, H5P_DEFAULT),
                  H5Dclose, "make", column.about.name);
    hdf5::write_attributes(place, dataset, column.about.name,
                           {{"units", column.about.units}, {"long_name", column.about.long_name}});
    if (&column == &columns.front())
      place.check(H5DSset_scale(dataset, column.about.name.c_str()), "make a scale of", column.about.name);
  }

  void open_columns() {
    datasets.clear();
    for (const auto& column : columns)
      datasets.push_back(
          place.own(H5Dopen2(file, column.about.name.c_str(), H5P_DEFAULT), H5Dclose, "open", column.about.name));
  }

  void write_rows(std::size_t number, std::int64_t begin, std::int64_t count, const void* values) {
    const SeriesColumnRows& column = columns[number];
    const hid_t dataset = datasets[number];
    const std::string& name = column.about.name;
    const int rank = column.about.dimension.empty() ? 1 : 2;
    const hsize_t extent[2] = {static_cast<hsize_t>(begin + count), column.width};
    const hsize_t start[2] = {static_cast<hsize_t>(begin), 0};
    const hsize_t block[2] = {static_cast<hsize_t>(count), column.width};
    check(H5Dset_extent(dataset, extent), "extend", name);
    const hdf5::Handle space(H5Dget_space(dataset), H5Sclose);
    const hdf5::Handle memory(H5Screate_simple(rank, block, nullptr), H5Sclose);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, block, nullptr), "extend", name);
    check(H5Dwrite(dataset, hdf5::memory_type(column.about.type), memory, space, H5P_DEFAULT, values), "append to",
          name);
  }

  /// Generous: the waiting rows, and for each column a chunk or two and metadata.
  std::int64_t space_needed() const {
    std::size_t width = 0;
    for (const auto& column : columns) width += column.width;
    return static_cast<std::int64_t>(width * 8) * rows_waiting + static_cast<std::int64_t>(columns.size() * 4 * page);
  }

  void write_waiting() {
    if (!file.valid()) throw Error(ExitCode::io, "'" + path.string() + "' is not open after an earlier failure");
    if (rows_waiting > 0) {
      if (retry.seconds > 0) retry_while_full(retry, [this] { fs::probe_space(path, space_needed()); });
      for (std::size_t i = 0; i < columns.size(); ++i) write_rows(i, rows_in_file, rows_waiting, columns[i].values());
      for (auto& column : columns) column.clear();
      rows_in_file += std::exchange(rows_waiting, 0);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) check(H5Dflush(datasets[i]), "write", columns[i].about.name);
    check(H5Fflush(file, H5F_SCOPE_GLOBAL), "write");
    last_flush = Clock::now();
  }

  void sync() {
    void* descriptor = nullptr;
    check(H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor), "write");
    fs::sync_descriptor(*static_cast<const int*>(descriptor), path);
  }

  FileContent read_back() const {
    const FileReader reader(path);
    std::vector<Array> values;
    for (const auto& column : columns) values.push_back(reader.dataset("/" + column.about.name));
    return series_content(layout, std::move(values));
  }
};

SeriesWriter::SeriesWriter(const std::filesystem::path& path, const SeriesLayout& layout)
    : impl_(std::make_unique<Impl>(path, layout)) {
  impl_->create(nullptr, 0);
}

SeriesWriter::SeriesWriter(const std::filesystem::path& path, const SeriesLayout& layout, std::int64_t rows)
    : impl_(std::make_unique<Impl>(path, layout)) {
  if (rows == 0) {
    impl_->create(nullptr, 0);
    return;
  }
  try {
    const FileReader old(path);
    const auto shape = old.info("/" + layout.scale.name).shape;
    if (shape.empty() || shape[0] < rows)
      throw Error(ExitCode::io, "cannot continue '" + path.string() + "': it has " +
                                    std::to_string(shape.empty() ? 0 : shape[0]) + " rows, the checkpoint needs " +
                                    std::to_string(rows) + ": bring the file back, or start afresh");
    impl_->create(&old, rows);
  } catch (const Error& error) {
    if (error.code() != ExitCode::input_file) throw;
    throw Error(ExitCode::io,
                "cannot continue the series: " + std::string(error.what()) + "; bring the file back, or start afresh");
  }
}

SeriesWriter::~SeriesWriter() = default;
SeriesWriter::SeriesWriter(SeriesWriter&&) noexcept = default;

void SeriesWriter::retry_on_full_disk(const DiskRetry& retry) {
  impl_->retry = retry;
}

void SeriesWriter::append(const std::vector<double>& row) {
  if (impl_->sealed) throw Error(ExitCode::internal, "append to the sealed series '" + impl_->path.string() + "'");
  append_row(impl_->columns, row);
  ++impl_->rows_waiting;
  if (Clock::now() - impl_->last_flush >= flush_interval) impl_->write_waiting();
}

void SeriesWriter::flush() {
  if (impl_->sealed) return;
  impl_->write_waiting();
  impl_->sync();
}

std::int64_t SeriesWriter::rows() const {
  return impl_->rows_in_file + impl_->rows_waiting;
}

void SeriesWriter::seal() {
  if (impl_->sealed) return;
  flush();
  for (std::size_t i = 0; i < impl_->columns.size(); ++i)
    impl_->check(impl_->datasets[i].reset(), "close", impl_->columns[i].about.name);
  impl_->check(impl_->file.reset(), "close");
  write_sealed(impl_->path, impl_->read_back());
  impl_->sealed = true;
}

}  // namespace ergode::io
