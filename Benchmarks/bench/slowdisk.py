"""A disk that writes so many bytes a second and no more, for root on a machine whose kernel limits it.

An ext4 file system lies in a file in memory, so that no other disk decides, behind a loop device. The root group of
cgroup v1's `blkio` limits the device: what a process writes directly, and what the kernel writes back for it. The root
group of cgroup v2 has no limits, so there is no slow disk then.
"""

import contextlib
import mmap
import os
import pathlib
import subprocess
import tempfile
import time

#: A bit more than 16 connections of 20 MB/s bring: such a disk can keep up, but each flush takes noticeable time.
RATE = 400_000_000
THROTTLE = pathlib.Path("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device")
MEMORY = pathlib.Path("/dev/shm")
#: The kernel gives out a rate in slices of a tenth of a second: a shorter check could be far off.
SAMPLE_SECONDS = 1
TOLERANCE = 0.15
BLOCK = 1 << 20


class Unavailable(Exception):
    """Why there is no slow disk here: the words of the table."""


@contextlib.contextmanager
def slow_disk(folder, room, rate=RATE):
    """Mounts a slow disk at `folder`, with `room` bytes for files; yields the folder.

    Leaving it unmounts the disk, which releases the device and its memory.

    Raises `Unavailable` if this machine cannot have one, or does not limit it as it should.
    """
    with contextlib.ExitStack() as stack:
        device = stack.enter_context(mounted(folder, room))
        stack.enter_context(unguarded(device))
        stack.enter_context(limited(device, rate))
        check(folder / "probe", rate)
        yield folder


@contextlib.contextmanager
def mounted(folder, room):
    """A file system in memory on a loop device; yields the device's name."""
    if os.geteuid() != 0:
        raise Unavailable("only root can mount it")
    if not THROTTLE.exists():
        raise Unavailable(f"there is no {THROTTLE}")
    # For the journal, and what the service leaves free (min_free_bytes).
    size = room + room // 8 + (640 << 20)
    with contextlib.ExitStack() as stack:
        image = filled_image(size)
        try:
            device = run("losetup", "--find", "--show", image)
        finally:
            # The device keeps the file. Its memory is free when the device is, however this process ends.
            image.unlink()
        stack.callback(run, "losetup", "--detach", device)
        # Without discard: it would give the memory back that was filled before.
        options = "nodiscard,lazy_itable_init=0,lazy_journal_init=0"
        run("mkfs.ext4", "-q", "-m", "0", "-E", options, device)
        run("mount", device, folder)
        # From now on it is the unmounting that detaches the device.
        stack.pop_all().close()
        try:
            yield device
        finally:
            unmount(folder)


def filled_image(size):
    """A file in memory that was written once, so that no later write waits for memory to be found."""
    with contextlib.suppress(OSError):
        found = os.statvfs(MEMORY)
        if found.f_bavail * found.f_frsize >= size:
            number, name = tempfile.mkstemp(prefix="bench-disk-", dir=MEMORY)
            try:
                with open(number, "wb", buffering=0) as file:
                    for _ in range(0, size, BLOCK):
                        file.write(bytes(BLOCK))
            except BaseException:
                os.unlink(name)
                raise
            return pathlib.Path(name)
    raise Unavailable(f"{MEMORY} has no room for {size >> 20} MiB")


@contextlib.contextmanager
def limited(device, rate):
    """Limits what is written to the device, in bytes a second."""
    number = os.stat(device).st_rdev
    entry = f"{os.major(number)}:{os.minor(number)}"
    try:
        THROTTLE.write_text(f"{entry} {rate}")
    except OSError as error:
        raise Unavailable(f"the kernel does not limit it: {error}") from None
    try:
        yield
    finally:
        THROTTLE.write_text(f"{entry} 0")


@contextlib.contextmanager
def unguarded(device):
    """Without the kernel's guard of the latency of a device, which writes back less when that grows.

    It would hold back what is written whenever a thread of the loop device waits for a core.
    """
    setting = pathlib.Path("/sys/block", pathlib.Path(device).name, "queue/wbt_lat_usec")
    # A kernel without the guard has no such file.
    before = setting.read_text() if setting.exists() else None
    if before is not None:
        setting.write_text("0")
    try:
        yield
    finally:
        if before is not None:
            setting.write_text(before)


def unmount(folder):
    """Tries for some seconds: a process that was just ended may hold a file."""
    for _ in range(50):
        if subprocess.run(["umount", folder], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)
    run("umount", "--lazy", folder)


def check(path, rate):
    """Writes past the page cache, and through it, and compares what that took with the rate.

    Through the cache it may take longer, for the copying.
    """
    for way, flags, least in (("directly", os.O_DIRECT, 1 - TOLERANCE), ("through the cache", 0, 0)):
        found = written_rate(path, int(rate * SAMPLE_SECONDS), flags)
        if not least <= found / rate <= 1 + TOLERANCE:
            raise Unavailable(f"limited to {rate / 1e6:.0f} MB/s, it takes {found / 1e6:.0f} MB/s written {way}")


def written_rate(path, size, flags):
    """Bytes a second that are written and flushed."""
    with opened(path, flags) as file:
        start = time.monotonic()
        write(file, size)
        os.fdatasync(file)
        return size / (time.monotonic() - start)


@contextlib.contextmanager
def opened(path, flags=0):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600)
    try:
        yield file
    finally:
        os.close(file)
        path.unlink()


def write(file, size):
    # A block of whole pages: O_DIRECT takes no other.
    with mmap.mmap(-1, BLOCK) as block:
        for _ in range(0, size, BLOCK):
            os.write(file, block)


def run(*command):
    """What the command prints, without the end of its line."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise Unavailable(f"there is no {command[0]}") from None
    except subprocess.CalledProcessError as failure:
        raise Unavailable(f"{command[0]} failed: {failure.stderr.strip()}") from None
    return done.stdout.strip()
