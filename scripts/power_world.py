"""The world of scripts/power-cuts: an origin, and a disk whose power is cut."""

import contextlib
import http.server
import os
import random
import re
import signal
import subprocess
import sys
import time

SIZES = [0, 1, 5_000, 60_000, 300_000, 1 << 20, 3 << 20, 9 << 20, 24 << 20]
#: The pace of a connection, in bytes a second: large files are to be on their way when the power goes.
PACE, STEP = 12 << 20, 64 << 10
#: The numbers of slow downloads begin here. A slow one sends this much ten times a second.
SLOW, SLOW_SIZE, SLOW_STEP = 1_000_000, 400_000, 2_000
MODELS = ["journal", "strict", "nothing", "torn", "ext4"]
LIES = ["files", "folders", "database"]
WORLD = f"{os.path.dirname(os.path.realpath(__file__))}/../Tests/Simulation/CWorld"
SOURCES = ["calls.c", "inodes.c", "names.c", "copy.c", "preload.c"]
#: How preload.c ends a process after a cut, and one whose calls it does not see.
IS_CUT, IS_NOT_WATCHED = 90, 91


def content(number):
    if number >= SLOW:
        return random.Random(number).randbytes(SLOW_SIZE)
    return random.Random(number).randbytes(SIZES[number % len(SIZES)])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = int(self.path[1:])
        body, tag = content(number), f'"{number}"'
        fields = [("ETag", tag)]
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        status = 200
        if wanted and self.headers.get("If-Range", tag) == tag:
            first, last = int(wanted[1]), min(int(wanted[2] or len(body) - 1), len(body) - 1)
            fields.append(("Content-Range", f"bytes {first}-{last}/{len(body)}"))
            status, body = 206, body[first : last + 1]
        self.send_response(status)
        for name, value in [*fields, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        try:
            step, pause = (SLOW_STEP, 0.1) if number >= SLOW else (STEP, STEP / PACE)
            for start in range(0, len(body), step):
                self.wfile.write(body[start : start + step])
                time.sleep(pause)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


class Origin(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        """Connections break at each cut."""


def compile_library(to):
    """Compiles the model into a library that is loaded before the C library."""
    # These are words of clang alone.
    words = ["-DWORLD_THREADS", "-D_Nonnull=", "-D_Nullable="]
    sources = [f"{WORLD}/{name}" for name in SOURCES]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-pthread", *words, f"-I{WORLD}/include", *sources, "-o", to],
                   check=True)


class Ended(Exception):
    """A service ended by itself. The text is its last line."""


class Watch:
    """How one process is started: by default without the model. With `ext4` the model is there for lies alone."""

    def __init__(self, library=None, folder=None, model="ext4", seed=0, lies=()):
        self.copy = f"{folder}.cut"
        self.environment, self.descriptors, self.pipe = dict(os.environ), [], None
        if model == "ext4" and not lies:
            return
        self.environment.update(LD_PRELOAD=library, WORLD_FOLDER=folder, WORLD_LIES=",".join(lies))
        if model != "ext4":
            end, self.pipe = os.pipe()
            self.descriptors = [end]
            self.environment.update(
                WORLD_LOSS=model, WORLD_SEED=str(seed), WORLD_COPY=self.copy, WORLD_PIPE=str(end)
            )

    def started(self):
        """The process has its end of the pipe."""
        for each in self.descriptors:
            os.close(each)

    def cut(self, service):
        """Cuts the power of a process, which makes the copy itself."""
        # One that has ended by itself says why below.
        with contextlib.suppress(BrokenPipeError):
            os.write(self.pipe, b"\0")
        code = service.process.wait()
        service.reader.join()
        os.close(self.pipe)
        if code == IS_NOT_WATCHED:
            sys.exit("power-cuts: no call of the program comes to the model")
        if code != IS_CUT:
            raise Ended(service.last_line or f"exit code {code}")


class Disk:
    """The folder of the service. Each cut replaces it with what the loss leaves of it."""

    def __init__(self, base, has_image, lies):
        self.place, self.image, self.lies = f"{base}/place", f"{base}/image", lies
        self.folder, self.library = f"{self.place}/disk", f"{base}/world.so"
        self.has_image, self.is_mounted = has_image, False
        compile_library(self.library)
        os.mkdir(self.place)
        if has_image:
            with open(self.image, "wb") as file:
                file.truncate(8 << 30)
            subprocess.run(["mkfs.ext4", "-q", self.image], check=True)
            self.mount()
        os.mkdir(self.folder)
        self.settle()

    def mount(self):
        # The journal is not to be committed by itself.
        subprocess.run(["mount", "-o", "loop,commit=600", self.image, self.place], check=True)
        self.is_mounted = True

    def unmount(self):
        if self.is_mounted:
            subprocess.run(["umount", self.place], check=True)
        self.is_mounted = False

    def settle(self):
        """Under the model no flush reaches the image, and the copy is not flushed either."""
        if self.has_image:
            subprocess.run(["sync", "--file-system", self.place], check=True)

    def watch(self, model="ext4", seed=0):
        return Watch(self.library, self.folder, model, seed, self.lies)

    def cut_power(self, service, model):
        if model == "ext4":
            service.end(signal.SIGKILL)
        else:
            service.watch.cut(service)

    def put_remains(self, service, model):
        """Puts what the loss has left in the place of the folder."""
        if model == "ext4":
            self.cut_image()
            return
        subprocess.run(["rm", "-r", self.folder], check=True)
        os.rename(service.watch.copy, self.folder)
        self.settle()

    def cut_image(self):
        copy = f"{self.image}.cut"
        subprocess.run(["cp", "--sparse=always", self.image, copy], check=True)
        self.unmount()
        os.replace(copy, self.image)
        self.mount()
