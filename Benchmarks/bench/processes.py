"""A temporary folder, and the processes of a measurement: nginx as the origin, and the service."""

import contextlib
import http.client
import json
import math
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time


#: The service closes a connection that is idle for longer than some times this.
IDLE_SECONDS = 5
#: The cipher that OpenSSL and GnuTLS both prefer.
CIPHER = "TLS_AES_256_GCM_SHA384"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop(process):
    process.terminate()
    try:
        process.wait(timeout=40)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Workspace:
    """A folder on the disk that is measured. Leaving it ends what was started, and removes it."""

    def __init__(self, parent, program):
        parent.mkdir(exist_ok=True)
        self.program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-", dir=parent))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def fresh(self, name, keeps_older=False):
        """An empty folder.

        `keeps_older` leaves the one of the round before as it is: an ext4 without a journal spends its time on
        passing over thousands of inodes that were given back in the last seconds, and would measure that.
        """
        folder = self.folder / name
        if keeps_older:
            folder = folder.with_name(f"{name}-{len(list(self.folder.glob(f'{name}-*')))}")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def origin(self, content, identity=None):
        """nginx, which serves the folder `content`."""
        return self.nginx(f"root {content};", identity)

    @contextlib.contextmanager
    def nginx(self, server, identity=None):
        """nginx, with `server` in its configuration; yields its URL.

        `identity` is a folder that `make_certificate` was given: with it nginx speaks TLS 1.3 and nothing else, and
        one cipher, so that everyone's bytes cost it the same.
        """
        home, port = self.fresh("nginx"), free_port()
        temporary = "".join(
            f"  {kind}_temp_path {home}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        scheme, secured = "http", ""
        if identity:
            scheme, secured = "https", (
                f"  ssl_certificate {identity}/certificate.pem;\n  ssl_certificate_key {identity}/key.pem;\n"
                f"  ssl_protocols TLSv1.3;\n  ssl_conf_command Ciphersuites {CIPHER};\n"
            )
        (home / "nginx.conf").write_text(
            "daemon off;\nmaster_process off;\n"
            f"pid {home}/pid;\nerror_log {home}/error.log;\n"
            "events { worker_connections 4096; }\n"
            "http {\n"
            f"{temporary}"
            "  access_log off;\n  sendfile on;\n  tcp_nopush on;\n"
            "  keepalive_requests 1000000;\n"
            f"{secured}"
            f"  server {{ listen 127.0.0.1:{port}{' ssl' if identity else ''}; {server} }}\n"
            "}\n"
        )
        command = ["nginx", "-p", home, "-c", home / "nginx.conf"]
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"}
        process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: can_connect(port), "nginx")
            yield f"{scheme}://127.0.0.1:{port}"
        finally:
            stop(process)

    @contextlib.contextmanager
    def service(self, name="data", keeps_older=False, goes_on=False, **settings):
        """The service with an empty data folder, or with the one that it had before (`goes_on`).

        The settings are those of its environment, in lower case.
        """
        data = self.folder / name if goes_on else self.fresh(name, keeps_older)
        service = Service(self.program, data, settings)
        try:
            wait_for(service.is_ready, "the service")
            yield service
        finally:
            service.close()


class Service:
    def __init__(self, program, data, settings):
        self.data = data
        self.log_path = data.with_name(data.name + ".log")
        self.port = free_port()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CORMORANT")}
        settings = {"listen": f"127.0.0.1:{self.port}", "data_dir": data, "log_level": "warning", **settings}
        environment.update({f"CORMORANT_{name.upper()}": str(value) for name, value in settings.items()})
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen([program, "serve"], env=environment, stdout=self.log, stderr=self.log)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.asked_at = time.monotonic()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError("the service ended: " + self.log_path.read_text()[-2000:])
        return can_connect(self.port) and self.ask("GET", "/readyz", expect=None)[0] == 200

    def ask(self, method, path, body=None, expect=(200, 201, 204), wait=None):
        """The status and the JSON of the answer, for which the service may wait `wait` seconds."""
        fields = {"Content-Type": "application/json"} if body is not None else {}
        if wait is not None:
            fields["Prefer"] = f"wait={math.ceil(wait)}"
        if time.monotonic() - self.asked_at > IDLE_SECONDS:
            self.connection.close()
        self.asked_at = time.monotonic()
        self.connection.request(method, path, json.dumps(body) if body is not None else None, fields)
        answer = self.connection.getresponse()
        text = answer.read()
        if expect is not None and answer.status not in expect:
            raise RuntimeError(f"{method} {path} is answered {answer.status}: {text[:500]}")
        return answer.status, json.loads(text) if text else None

    def has(self, *states):
        """Whether there is a download in one of the states."""
        return bool(self.ask("GET", f"/downloads?limit=1&state={','.join(states)}")[1]["items"])

    def resident_bytes(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError("the service has ended")

    def cpu_seconds(self):
        # Behind the name, which may hold a space: utime and stime are the 14th and the 15th field (proc(5)).
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.connection.close()
        stop(self.process)
        self.log.close()


def make_certificate(folder):
    """Puts a key and a certificate of 127.0.0.1 there, which is its own authority."""
    run = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=127.0.0.1"]
    run += ["-addext", "subjectAltName=IP:127.0.0.1"]
    run += ["-keyout", folder / "key.pem", "-out", folder / "certificate.pem"]
    subprocess.run(run, check=True, stderr=subprocess.DEVNULL)
    return folder / "certificate.pem"


def can_connect(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def wait_for(condition, what, seconds=20, pause=0.02):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} is not there after {seconds} s")
        time.sleep(pause)
