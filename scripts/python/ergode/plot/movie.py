"""A movie of a run's snapshots: MP4 by ffmpeg where it is installed, else an animated GIF."""

from matplotlib import animation

from ergode.errors import ErgodeError, MissingError
from ergode.plot import nbody, style
from ergode.sweep import Sweep

FRAMES_A_SECOND = 15
TRAIL = 40  # snapshots that a trail of few bodies is long


def movie(run, directory):
    """Writes it and returns its path."""
    if isinstance(run, Sweep):
        raise ErgodeError(run.directory, "is a sweep: a movie is of one of its members")
    if run.kind != "nbody":
        raise ErgodeError(run.directory, f"is a run of {run.kind}, which has no snapshots for a movie")
    snapshots = run.snapshots.plain()
    if len(snapshots) < 2:
        raise MissingError(run.directory / "snapshots", "has less than two snapshots: no movie")
    with style.plt.rc_context({**style.RC, "savefig.bbox": None}):
        figure, axis = style.single((4.8, 4.8))
        draw = (_few if len(snapshots[0]) <= nbody.FEW else _many)(axis, run, snapshots)
        # Constrained layout would move the frame from picture to picture.
        figure.set_constrained_layout(False)
        frames = animation.FuncAnimation(figure, draw, len(snapshots), init_func=lambda: None)
        ffmpeg = animation.FFMpegWriter.isAvailable()
        path = directory / ("movie.mp4" if ffmpeg else "movie.gif")
        writer = (
            animation.FFMpegWriter(FRAMES_A_SECOND, codec="h264", extra_args=["-pix_fmt", "yuv420p"])
            if ffmpeg
            else animation.PillowWriter(FRAMES_A_SECOND)
        )
        frames.save(path, writer=writer, dpi=150)
        style.plt.close(figure)
    return path


def _many(axis, _, snapshots):
    """Draws a snapshot by its number: the bodies as points."""
    middle, reach = nbody.frame(snapshots)

    def draw(number):
        axis.clear()
        nbody.scatter(axis, snapshots[number])
        nbody.scene(axis, middle, reach, snapshots[number], "black")

    return draw


def _few(axis, run, snapshots):
    """Draws a snapshot by its number: each body in its colour, with its name and a trail, in the plane of the orbits."""
    names, places, _ = nbody.tracks(run)
    low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
    middle, reach = (low + high) / 2, 0.6 * (high - low).max() or 1.0
    smooth = [nbody.is_smooth(path) for path in places.swapaxes(0, 1)]

    def draw(number):
        axis.clear()
        nbody.draw_tracks(axis, names, places[max(0, number + 1 - TRAIL) : number + 1], smooth)
        nbody.scene(axis, middle, reach, snapshots[number], "black")
        axis.legend(loc="upper right", fontsize=8, ncols=1 + (len(names) > 5))

    return draw
