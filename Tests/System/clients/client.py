"""Downloads a file with the generated client: SERVICE TOKEN URL SHA256."""

import hashlib
import sys

from cormorant_client import AuthenticatedClient
from cormorant_client.api.downloads import change_download, create_download, get_download, get_file
from cormorant_client.models import (
    Download,
    DownloadChange,
    DownloadChangeAction,
    DownloadLimitsRequest,
    DownloadRequest,
    GetDownloadUntil,
)

service, token, url, digest = sys.argv[1:]
client = AuthenticatedClient(base_url=service, token=token, timeout=60)


def is_download(answer):
    assert isinstance(answer, Download), answer
    return answer


def watch(download):
    """The download after its next change."""
    answer = get_download.sync(
        download.id,
        client=client,
        until=GetDownloadUntil.CHANGE,
        after_revision=download.counters.revision,
        prefer="wait=30",
    )
    return is_download(answer)


def act(download, action):
    return is_download(change_download.sync(download.id, client=client, body=DownloadChange(action=action)))


limits = DownloadLimitsRequest(rate_bytes_per_second=1 << 19)
download = is_download(create_download.sync(client=client, body=DownloadRequest(url=url, limits=limits)))
print("created", download.id, download.name, download.state)
while download.state != "running":
    assert download.state == "queued", download.state
    download = watch(download)
print("running", download.progress.received_bytes, "bytes")
download = act(download, DownloadChangeAction.PAUSE)
assert download.state == "paused", download.state
download = act(download, DownloadChangeAction.RESUME)
while download.state not in ("completed", "failed"):
    download = watch(download)
assert download.state == "completed", download.error
content = get_file.sync(download.id, client=client).payload.read()
assert hashlib.sha256(content).hexdigest() == digest
assert download.finished_at is not None and download.finished_at.tzinfo is not None
print("paused, resumed and completed:", len(content), "bytes with the right digest")
