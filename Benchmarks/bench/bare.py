"""The bare libmicrohttpd handler of `bare.c`, compiled for the run."""

import contextlib
import pathlib
import shlex
import subprocess

from .processes import stop

SOURCE = pathlib.Path(__file__).with_name("bare.c")


@contextlib.contextmanager
def serving(folder):
    """The handler on a free port, built in `folder`; yields its URL."""
    process = subprocess.Popen([build(folder)], stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().strip()
        if not port:
            raise RuntimeError(f"the handler of {SOURCE.name} ended: {process.wait()}")
        yield f"http://127.0.0.1:{port}"
    finally:
        stop(process)
        process.stdout.close()


def build(folder):
    program = folder / "bare"
    asked = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "libmicrohttpd"], check=True, capture_output=True, text=True
    )
    # The libraries come after what needs them.
    command = ["cc", "-O2", "-Wall", "-Werror", SOURCE, "-o", program, *shlex.split(asked.stdout)]
    subprocess.run(command, check=True)
    return program
