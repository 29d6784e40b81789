"""A movie of a run's snapshots: MP4 by ffmpeg where it is installed, else an animated GIF."""

from matplotlib import animation

from ergode.errors import MissingError
from ergode.plot import nbody, style

FRAMES_A_SECOND = 15


def movie(run, directory):
    """Writes it and returns its path."""
    snapshots = run.snapshots.plain()
    if len(snapshots) < 2:
        raise MissingError(run.directory / "snapshots", "has less than two snapshots: no movie")
    with style.plt.rc_context({**style.RC, "savefig.bbox": None}):
        figure, axis = style.single((4.8, 4.8))
        middle, reach = nbody.frame(snapshots)

        def draw(number):
            axis.clear()
            nbody.scatter(axis, snapshots[number])
            nbody.scene(axis, middle, reach, snapshots[number], "black")

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
