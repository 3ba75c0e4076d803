"""One large file over TLS 1.3 on one connection: from the request to the finished file."""

from .goals import Goal, ratio
from .large import downloading, fetching
from .measuring import Table, alternate, random_file, timed
from .processes import CIPHER, make_certificate

WHY = (
    "curl returns while its bytes are in the page cache; the service's time includes the flush. Only an answer before"
    " the file is durable would be faster."
)


def measure(workspace, options):
    content = workspace.fresh("content")
    random_file(content / "large", options.large_mib << 20)
    identity = workspace.fresh("identity")
    certificate = make_certificate(identity)
    plain, digesting = (
        workspace.service(f"data-{digest}", digest=digest, ca_file=certificate) for digest in ("none", "sha-256")
    )
    with workspace.origin(content, identity) as origin, plain as bare, digesting as hashing:
        url = f"{origin}/large"
        timed(["curl", "--silent", "--cacert", certificate, "--output", "/dev/null", url])
        bare_name = "cormorant, digest none"
        contenders = [
            (bare_name, downloading(bare, url)),
            ("cormorant, digest sha-256", downloading(hashing, url)),
        ]
        times = alternate(contenders + list(tools(workspace, url, certificate)), options.rounds)

    table = Table(
        [f"{options.large_mib} MiB over TLS 1.3", "median s", "least", "most", "MiB/s"],
        notes=[
            f"The cipher is {CIPHER} for all. Cormorant's time runs from POST to the answer that shows `completed`: the"
            " file is durable and has its final name. The others return before their bytes are on the disk; `+ sync`"
            " adds that. Every time includes the encryption by nginx.",
        ],
    )
    table.add_times(times, options.large_mib)
    table.goals = [
        Goal(f"digest none: the time, beside {other}", ratio(times, bare_name, other), "≤", 1.05, "×", WHY)
        for other in ("curl", "curl + sync")
    ]
    return table


def tools(workspace, url, certificate):
    commands = {
        "curl": ("curl", "--silent", "--cacert", certificate, "--output", "out", url),
        "wget2": ("wget2", "--quiet", f"--ca-certificate={certificate}", "-O", "out", url),
        "aria2c -x1": (
            *("aria2c", "--quiet", "--no-conf", "-x1", "-s1", "--file-allocation=none"),
            *(f"--ca-certificate={certificate}", "-o", "out", url),
        ),
    }
    for name, command in commands.items():
        yield name, fetching(workspace, *command)
        yield f"{name} + sync", fetching(workspace, *command, syncs=True)
