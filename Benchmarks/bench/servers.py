"""Servers that others wrote: how each is started on a folder, slowed down, and told to speak TLS."""

import contextlib
import dataclasses
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

from .processes import can_connect, free_port, make_certificate, stop, wait_for

#: What a server that is asked over several connections gives to each of them, and one that is asked over one.
SHARED_RATE, LONE_RATE = 2 << 20, 16 << 20
LINE = pathlib.Path(__file__).with_name("line.py")
LINE_DELAY_SECONDS = 0.025


@dataclasses.dataclass
class Place:
    """Where a server runs, and what it is to give."""

    home: pathlib.Path
    port: int
    content: pathlib.Path
    #: Bytes a second for each connection.
    rate: int
    #: Whether it speaks TLS, with the certificate that lies in its home.
    is_secure: bool

    @property
    def certificate(self):
        return self.home / "certificate.pem"

    @property
    def key(self):
        return self.home / "key.pem"


@dataclasses.dataclass
class Origin:
    """What the service is told: where the files are, and the settings with which it trusts them."""

    url: str
    port: int
    settings: dict


class Server:
    """A program that serves a folder.

    `configure` takes a `Place` and returns the program's arguments. `slowed_by` is the server's own limit of a
    connection's rate; where it has none, the line of the benchmarks stands before it.
    """

    def __init__(self, program, version_option, configure, scheme="http", slowed_by=None, rate=SHARED_RATE):
        self.program, self.version_option, self.configure = program, version_option, configure
        self.scheme, self.rate = scheme, rate
        self.has_line = slowed_by is None
        self.slowed_by = f"{slowed_by or 'line.py'}, {rate >> 20} MiB/s"

    def is_installed(self):
        return shutil.which(self.program) is not None

    def version(self):
        # vsftpd writes its version to its standard input.
        with tempfile.TemporaryFile() as text:
            command = [self.program, self.version_option]
            subprocess.run(command, stdin=text, stdout=text, stderr=subprocess.STDOUT)
            text.seek(0)
            text = text.read().decode()
        words = text.replace("/", " ").replace("_", " ").split()
        return next((word.strip("v,") for word in words if word.strip("v,")[:1].isdigit()), "")

    def url(self, port, place):
        return f"{self.scheme}{'s' if place.is_secure else ''}://127.0.0.1:{port}"

    def environment(self, home):
        return {"HOME": str(home)}

    def settings(self, port, place):
        """What the service has to be told to trust it."""
        return {"ca_file": place.certificate} if place.is_secure else {}

    @contextlib.contextmanager
    def serving(self, workspace, content, is_secure=False):
        place = Place(workspace.fresh("home"), free_port(), content, self.rate, is_secure)
        if is_secure:
            make_certificate(place.home)
        command = [shutil.which(self.program), *self.configure(place)]
        environment = {**os.environ, **self.environment(place.home)}
        with contextlib.ExitStack() as stack:
            stack.enter_context(running(command, place.port, cwd=content, env=environment))
            port = stack.enter_context(line(place)) if self.has_line else place.port
            yield Origin(self.url(port, place), port, self.settings(port, place))


@contextlib.contextmanager
def running(command, port, **options):
    """The program, from when it listens at the port."""
    silent = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.DEVNULL)
    process = subprocess.Popen([str(part) for part in command], **silent, **options)
    try:
        wait_for(lambda: can_connect(port), command[0])
        yield
    finally:
        stop(process)


@contextlib.contextmanager
def line(place):
    """A line before the server, with a window that lets through what the place's rate is; yields its port."""
    port, window = free_port(), int(place.rate * 2 * LINE_DELAY_SECONDS)
    command = [sys.executable, LINE, port, "--origin", place.port]
    command += ["--delay", LINE_DELAY_SECONDS, "--window", window, "--chance", 0]
    with running(command, port):
        yield port


class SecureFTP(Server):
    """TLS from the first byte on, as `ftps` has it."""

    def url(self, port, place):
        return f"ftps://127.0.0.1:{port}"

    def settings(self, port, place):
        return {"ca_file": place.certificate}


class PythonFTP(Server):
    def is_installed(self):
        return subprocess.run([self.program, "-c", "import pyftpdlib"], stderr=subprocess.DEVNULL).returncode == 0

    def version(self):
        command = [self.program, "-c", "import pyftpdlib; print(pyftpdlib.__ver__)"]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


class OpenSSH(Server):
    """sshd with a table of users of its own, in which whoever runs this is called `cormorant`."""

    WRAPPER = "libnss_wrapper.so"

    def is_installed(self):
        return super().is_installed() and any(pathlib.Path("/usr/lib").glob(f"*/{self.WRAPPER}"))

    def url(self, port, place):
        return f"sftp://cormorant:secret@127.0.0.1:{port}{place.content}"

    def environment(self, home):
        files = {f"NSS_WRAPPER_{name.upper()}": str(home / name) for name in ["passwd", "group", "shadow"]}
        return {**files, "LD_PRELOAD": self.WRAPPER}

    def settings(self, port, place):
        key = (place.home / "key.pub").read_text()
        (place.home / "known_hosts").write_text(f"[127.0.0.1]:{port} {key}")
        return {"known_hosts": place.home / "known_hosts"}


def nginx(place):
    home = place.home
    kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    temporary = "".join(f"{kind}_temp_path {home}/{kind}; " for kind in kinds)
    listen, secured = "", ""
    if place.is_secure:
        listen, secured = " ssl http2", f"ssl_certificate {place.certificate}; ssl_certificate_key {place.key}; "
    (home / "conf").write_text(
        f"daemon off; master_process off; pid {home}/pid; error_log {home}/log; events {{}}\n"
        f"http {{ {temporary} access_log off; limit_rate {place.rate}; {secured}\n"
        f"server {{ listen 127.0.0.1:{place.port}{listen}; root {place.content}; }} }}\n"
    )
    return ["-p", home, "-c", home / "conf"]


def apache(place):
    home, names = place.home, ["mpm_event", "authz_core", "env", "ratelimit"]
    secured = ""
    if place.is_secure:
        names += ["ssl", "http2"]
        secured = (
            "Protocols h2 http/1.1\nSSLEngine on\n"
            f"SSLCertificateFile {place.certificate}\nSSLCertificateKeyFile {place.key}\n"
        )
    modules = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in names)
    (home / "conf").write_text(
        f"ServerName localhost\nServerRoot {home}\nListen 127.0.0.1:{place.port}\nPidFile {home}/pid\n"
        f"ErrorLog {home}/log\n{modules}{secured}"
        f"DocumentRoot {place.content}\n<Directory {place.content}>\nRequire all granted\n"
        f"SetOutputFilter RATE_LIMIT\nSetEnv rate-limit {place.rate >> 10}\n</Directory>\n"
    )
    return ["-X", "-f", home / "conf"]


def lighttpd(place):
    secured = ""
    if place.is_secure:
        secured = (
            'server.modules = ("mod_openssl")\nssl.engine = "enable"\n'
            f'ssl.pemfile = "{place.certificate}"\nssl.privkey = "{place.key}"\n'
        )
    (place.home / "conf").write_text(
        f'server.document-root = "{place.content}"\nserver.bind = "127.0.0.1"\nserver.port = {place.port}\n'
        f'server.errorlog = "{place.home}/log"\nconnection.kbytes-per-second = {place.rate >> 10}\n{secured}'
        # The package lists the types of all names. A file of no type gets no validator from lighttpd.
        'mimetype.assign = (".bin" => "application/octet-stream")\n'
    )
    return ["-D", "-f", place.home / "conf"]


def caddy(place):
    scheme, secured = "http", ""
    if place.is_secure:
        scheme, secured = "https", f"tls {place.certificate} {place.key}"
    (place.home / "conf").write_text(
        "{\nadmin off\nauto_https off\nservers {\nprotocols h1 h2\n}\n}\n"
        f"{scheme}://127.0.0.1:{place.port} {{\nbind 127.0.0.1\n{secured}\nroot * {place.content}\nfile_server\n}}\n"
    )
    return ["run", "--config", place.home / "conf", "--adapter", "caddyfile"]


def python(place):
    return ["-m", "http.server", "--bind", "127.0.0.1", place.port]


def vsftpd(place):
    # The folder that an anonymous user is shown must not be writable.
    place.content.chmod(0o555)
    os.chmod(place.home, 0o755)
    (place.home / "empty").mkdir()
    (place.home / "conf").write_text(
        f"listen=YES\nlisten_address=127.0.0.1\nlisten_port={place.port}\nbackground=NO\n"
        f"anonymous_enable=YES\nanon_root={place.content}\nno_anon_password=YES\nanon_max_rate={place.rate}\n"
        f"secure_chroot_dir={place.home}/empty\n"
        "run_as_launching_user=YES\nsession_support=NO\nseccomp_sandbox=NO\nxferlog_enable=NO\n"
        "ftp_username=" + pwd.getpwuid(os.getuid()).pw_name + "\n"
    )
    return [place.home / "conf"]


def vsftpd_tls(place):
    arguments = vsftpd(place)
    make_certificate(place.home)
    with (place.home / "conf").open("a") as conf:
        conf.write(
            f"ssl_enable=YES\nimplicit_ssl=YES\nallow_anon_ssl=YES\nforce_anon_data_ssl=YES\nssl_ciphers=HIGH\n"
            f"rsa_cert_file={place.certificate}\nrsa_private_key_file={place.key}\n"
        )
    return arguments


PYFTPDLIB = """
import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler, ThrottledDTPHandler
from pyftpdlib.servers import FTPServer
ThrottledDTPHandler.write_limit = int(sys.argv[3])
# What the kernel sends by itself is not counted.
FTPHandler.use_sendfile = False
FTPHandler.dtp_handler = ThrottledDTPHandler
FTPHandler.authorizer = DummyAuthorizer()
FTPHandler.authorizer.add_anonymous(sys.argv[2])
FTPServer(("127.0.0.1", int(sys.argv[1])), FTPHandler).serve_forever()
"""


def pyftpdlib(place):
    return ["-c", PYFTPDLIB, place.port, place.content, place.rate]


def openssh(place):
    home = place.home
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home / "key"], check=True)
    # Debian's service makes it when it starts, and without it sshd ends at once.
    pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    run = ["openssl", "passwd", "-6", "secret"]
    password = subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    (home / "passwd").write_text(
        f"cormorant:x:{os.getuid()}:{os.getgid()}::{home}:/bin/sh\nsshd:x:65534:65534::{home}:/bin/false\n"
    )
    (home / "group").write_text(f"cormorant:x:{os.getgid()}:\n")
    (home / "shadow").write_text(f"cormorant:{password}:19000:0:99999:7:::\nsshd:*:19000:0:99999:7:::\n")
    (home / "conf").write_text(
        f"ListenAddress 127.0.0.1\nPort {place.port}\nHostKey {home}/key\nPidFile none\nUsePAM no\nStrictModes no\n"
        "PermitRootLogin yes\nPasswordAuthentication yes\nSubsystem sftp internal-sftp\n"
    )
    return ["-D", "-f", home / "conf"]


SERVERS = {
    "nginx": Server("nginx", "-v", nginx, slowed_by="`limit_rate`"),
    "Apache httpd": Server("apache2", "-v", apache, slowed_by="`mod_ratelimit`"),
    "lighttpd": Server("lighttpd", "-v", lighttpd, slowed_by="`connection.kbytes-per-second`"),
    "Caddy": Server("caddy", "version", caddy),
    "Python http.server": Server(sys.executable, "--version", python, rate=LONE_RATE),
    "vsftpd": Server("vsftpd", "-v", vsftpd, "ftp", "`anon_max_rate`", LONE_RATE),
    "vsftpd, ftps": SecureFTP("vsftpd", "-v", vsftpd_tls, "ftp", "`anon_max_rate`", LONE_RATE),
    "pyftpdlib": PythonFTP("/usr/bin/python3", "", pyftpdlib, "ftp", "`ThrottledDTPHandler`", LONE_RATE),
    "OpenSSH sftp": OpenSSH("sshd", "-V", openssh, "sftp", rate=LONE_RATE),
}
#: Those that are visited once more over TLS.
SECURE = ["nginx", "Apache httpd", "lighttpd", "Caddy"]
