"""The world of scripts/image-check: a network of its own with a name server and an origin, and a container in it."""

import contextlib
import errno
import fcntl
import hashlib
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

ADDRESS = "127.0.0.1"
PORT = 8080
# Seconds that a start or a download may take; the machine may have other work.
PATIENCE = 60


def enter_network(script, *arguments):
    """Runs the script again in a network namespace, where ports are free and a name server can be had."""
    if os.environ.get("IMAGE_CHECK_NETWORK") != "own":
        os.environ["IMAGE_CHECK_NETWORK"] = "own"
        words = ["unshare", "--net", "--", sys.executable, script, *map(str, arguments)]
        os.execvp(words[0], words)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        # SIOCSIFFLAGS with IFF_UP: netdevice(7).
        fcntl.ioctl(handle, 0x8914, struct.pack("16sh", b"lo", 1))
    threading.Thread(target=serve_names, daemon=True).start()


def serve_names():
    """Answers every question for an IPv4 address with loopback's, others with nothing (RFC 1035)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((ADDRESS, 53))
        while True:
            query, client = server.recvfrom(512)
            end = query.index(b"\0", 12) + 5
            question = query[12:end]
            known = question[-4:-2] == b"\0\1" and b"\6origin\4test\0" in question
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(ADDRESS) if known else b""
            head = query[:2] + b"\x81\x80" + struct.pack("!4H", 1, bool(known), 0, 0)
            server.sendto(head + question + answer, client)


class Origin:
    """Two files over http and https, with ranges. The large one is slow until `unlimit`."""

    def __init__(self, folder):
        numbers = random.Random(1)
        self.files = {"/small": numbers.randbytes(1 << 20), "/large": numbers.randbytes(64 << 20)}
        self.slow = threading.Event()
        self.slow.set()
        self.authority = make_certificates(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "origin.pem", folder / "origin.key")
        self.port = self.serve()
        self.tls_port = self.serve(context)

    def serve(self, context=None):
        server = http.server.ThreadingHTTPServer((ADDRESS, 0), handler(self))
        server.daemon_threads = True
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_address[1]

    def unlimit(self):
        self.slow.clear()

    def digest(self, path):
        return hashlib.sha256(self.files[path]).hexdigest()


def handler(origin):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            content = origin.files[self.path]
            first, last, status = 0, len(content) - 1, 200
            if spec := self.headers.get("Range"):
                begin, _, end = spec.removeprefix("bytes=").partition("-")
                first, last, status = int(begin), min(int(end or last), last), 206
            self.send_response(status)
            self.send_header("Content-Length", str(last - first + 1))
            self.send_header("ETag", f'"{origin.digest(self.path)[:16]}"')
            self.send_header("Accept-Ranges", "bytes")
            if status == 206:
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
            self.end_headers()
            for begin in range(first, last + 1, 1 << 16):
                self.wfile.write(content[begin : min(begin + (1 << 16), last + 1)])
                if self.path == "/large" and origin.slow.is_set():
                    time.sleep(0.05)

        def log_message(self, *_):
            pass

        def handle(self):
            with contextlib.suppress(OSError):
                super().handle()

    return Handler


def make_certificates(folder):
    """An authority, and a certificate of it for origin.test. Returns the file of the authority."""
    authority = ["-x509", "-keyout", folder / "ca.key", "-out", folder / "ca.pem", "-subj", "/CN=Authority"]
    key = ["req", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2"]
    openssl(*key, *authority)
    openssl(*key, "-keyout", folder / "origin.key", "-out", folder / "origin.csr", "-subj", "/CN=origin.test")
    (folder / "extension").write_text("subjectAltName=DNS:origin.test\n")
    signed = ["-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial", "-days", "2"]
    extension = ["-extfile", folder / "extension"]
    openssl("x509", "-req", "-in", folder / "origin.csr", "-out", folder / "origin.pem", *signed, *extension)
    return folder / "ca.pem"


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# In a mount and a process namespace: what an engine mounts, the root read-only but for /data, the program process 1.
START = """
root=$0 data=$1 files=$2 user=$3
shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
for device in full null random urandom zero; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
for name in hosts resolv.conf; do mount --bind "$files/$name" "$root/etc/$name"; done
mount --bind "$files/authorities" "$root/etc/ssl/certs/ca-certificates.crt"
mount -o remount,bind,ro "$root"
cd /
exec setpriv --no-new-privs chroot --userspec="$user" "$root" "$@"
"""


class Container:
    """The image's files, as an engine runs them."""

    def __init__(self, root, config, work):
        self.config, self.work = config, work
        self.root, self.data, self.files = work / "root", work / "data", work / "files"
        shutil.copytree(root, self.root, symlinks=True)
        shutil.copystat(root / "data", self.data) if self.data.exists() else self.data.mkdir(mode=0o750)
        os.chown(self.data, 10001, 10001)
        self.files.mkdir()
        (self.files / "hosts").write_text(f"{ADDRESS} localhost\n{ADDRESS} hosts.test\n")
        (self.files / "resolv.conf").write_text(f"nameserver {ADDRESS}\n")
        shutil.copy(self.root / "etc/ssl/certs/ca-certificates.crt", self.files / "authorities")
        # An engine makes the places that it mounts files on.
        for name in ("hosts", "resolv.conf"):
            (self.root / "etc" / name).touch()

    def trust(self, authority):
        with open(self.files / "authorities", "a") as file:
            file.write(pathlib.Path(authority).read_text())

    def environment(self, more=None):
        return {**dict(item.split("=", 1) for item in self.config["Env"]), **(more or {})}

    def command(self, words):
        places = [self.root, self.data, self.files, self.config["User"]]
        shell = ["bash", "-euc", START, *places]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", *map(str, shell), *words]

    def run(self, *words):
        command = self.command([*self.config["Entrypoint"], *words])
        return subprocess.run(command, env=self.environment(), stderr=subprocess.DEVNULL).returncode

    def service(self, more=None):
        return Service(self, self.environment(more))


class Service:
    """The running container. It must end with 0 after SIGTERM."""

    def __init__(self, container, environment):
        self.container, self.environment = container, environment
        self.log = open(container.work / "service.log", "ab")
        words = [*container.config["Entrypoint"], *container.config["Cmd"]]
        self.outer = subprocess.Popen(container.command(words), env=environment, stdout=self.log, stderr=self.log)
        self.until(lambda: self.status("/readyz", token=False) == 200, "does not come up")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.kill()
            print((self.container.work / "service.log").read_text()[-4000:], file=sys.stderr)
            return
        os.kill(self.process, signal.SIGTERM)
        code = self.outer.wait(PATIENCE)
        if code != 0:
            raise SystemExit(f"image-check: SIGTERM ended the service with {code}")

    @property
    def process(self):
        """The id, outside, of process 1 of the container."""
        return int(pathlib.Path(f"/proc/{self.outer.pid}/task/{self.outer.pid}/children").read_text().split()[0])

    def kill(self):
        os.kill(self.process, signal.SIGKILL)
        self.outer.wait(PATIENCE)

    def until(self, condition, message):
        deadline = time.monotonic() + PATIENCE
        while not (found := condition()):
            if self.outer.poll() is not None or time.monotonic() > deadline:
                print((self.container.work / "service.log").read_text()[-4000:], file=sys.stderr)
                raise SystemExit(f"image-check: the service {message}")
            time.sleep(0.05)
        return found

    def inside(self, *words):
        user, group = self.container.config["User"].split(":")
        enter = ["nsenter", "--target", str(self.process), "--mount", "--pid", "--root", "--wd"]
        command = [*enter, "--setuid", user, "--setgid", group, "--", *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True)

    def healthy(self):
        return self.inside(*self.container.config["Healthcheck"]["Test"][1:]).returncode == 0

    def output(self, *words):
        return self.inside(*self.container.config["Entrypoint"], *words).stdout

    def is_read_only(self):
        try:
            os.close(os.open(f"/proc/{self.process}/root/etc/new", os.O_CREAT | os.O_WRONLY))
        except OSError as error:
            return error.errno == errno.EROFS
        return False

    def request(self, path, body=None, token=True):
        headers = {"Content-Type": "application/json"}
        if "until=" in path:
            headers["Prefer"] = "wait=30"
        if token:
            headers["Authorization"] = "Bearer " + (self.container.data / "token").read_text().strip()
        request = urllib.request.Request(f"http://{ADDRESS}:{PORT}{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def status(self, path, token=True):
        return self.request(path, token=token)[0]

    def post(self, url):
        return self.request("/downloads", json.dumps({"url": url, "max_attempts": 1}).encode())

    def add(self, url):
        status, body = self.post(url)
        if status != 201:
            raise SystemExit(f"image-check: a download was answered {status}: {body.decode()}")
        return json.loads(body)["id"]

    def show(self, name, query=""):
        return json.loads(self.request(f"/downloads/{name}{query}")[1])

    def wait(self, name, condition):
        return self.until(lambda: (shown := self.show(name)) and condition(shown) and shown, "does not go on")

    def finish(self, name):
        ends = ("completed", "failed", "cancelled")
        return self.until(
            lambda: (shown := self.show(name, "?until=terminal"))["state"] in ends and shown, "does not finish"
        )
