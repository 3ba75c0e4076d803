"""Calls every operation with the generated client, and reads every kind of answer: SERVICE TOKEN URL SHA256."""

import importlib
import inspect
import pkgutil
import sys

import httpx
from cormorant_client import AuthenticatedClient, api
from cormorant_client.models import *
from cormorant_client.types import UNSET

service, token, url, _ = sys.argv[1:]
missing, hook = url.replace("a.bin", "missing"), url.replace("a.bin", "hook")
client = AuthenticatedClient(base_url=service, token=token, timeout=60)

modules = {
    name.rsplit(".", 1)[1]: importlib.import_module(name)
    for _, name, is_package in pkgutil.walk_packages(api.__path__, api.__name__ + ".")
    if not is_package
}
called = set()


def call(operation, *arguments, expect=None, status=None, **options):
    """The parsed answer of an operation, which must be of the type, or have the status."""
    called.add(operation)
    answer = modules[operation].sync_detailed(*arguments, client=client, **options)
    assert status is None or answer.status_code == status, (operation, answer)
    assert expect is None or isinstance(answer.parsed, expect), (operation, answer)
    assert expect or answer.status_code < 400 or status, (operation, answer)
    return answer.parsed


def ended(download):
    """The download after its end."""
    return call("get_download", download.id, until=GetDownloadUntil.TERMINAL, prefer="wait=30", expect=Download)


def is_plain(module):
    """Whether the operation is a GET that needs no argument."""
    arguments = inspect.signature(module._get_kwargs).parameters.values()
    return all(one.default is not one.empty for one in arguments) and module._get_kwargs()["method"] == "get"


# The service and its settings.
for operation in ("get_liveness", "get_readiness"):
    assert call(operation, expect=Health).checks is not None
assert call("list_settings", expect=Settings).items
assert "openapi:" in call("get_description", status=200)
assert call("get_description_as_json", status=200).to_dict()["openapi"]
page = call("get_page", status=200)
script = page.split('src="', 1)[1].split('"', 1)[0].strip("/").split("/")
assert call("get_page_file", script[-2], script[-1], status=200)
assert call("explain_problem", "not-found", expect=str)

# Limits and hosts.
assert call("change_limits", body=LimitsChange(), expect=Problem, status=400).errors[0].code == "required"
assert call("change_limits", body=LimitsChange(paused=True), expect=Limits).paused is True
window = LimitedWindow(days=[Weekday.MON], from_="01:00", to="02:00", rate_bytes_per_second=1 << 30)
assert call("put_limits", body=LimitsSettings(rate_schedule=[window]), expect=Limits).rate_schedule
assert call("put_limits", body=LimitsSettings(), expect=Limits).paused is False
assert call("get_limits", expect=Limits).now
authority = url.split("/")[2]
host = call("change_host", authority, body=HostChange(limits=HostLimits(rate_bytes_per_second=1 << 30)), expect=Host)
assert host.limits.rate_bytes_per_second == 1 << 30

# Webhooks.
webhook = call("create_webhook", body=WebhookRequest(url=hook), expect=CreatedWebhook)
call("list_webhooks", expect=WebhookPage)
call("change_webhook", webhook.id, body=WebhookChange(description="a"), expect=Webhook)
call("get_webhook", webhook.id, expect=Webhook)
call("rotate_webhook_secret", webhook.id, body=SecretRotation(), expect=RotatedSecret)
delivery = call("ping_webhook", webhook.id, body=PingWebhookBody(), expect=Delivery)
call("recover_webhook", webhook.id, body=RecoveryRequest(created_after=webhook.created_at), expect=Recovered)
call("create_webhook", body=WebhookRequest(url="nowhere"), expect=Problem, status=400)

# Sessions.
call("put_session", "nightly", body=SessionSettings(), expect=Session, status=201)
call("put_session", "nightly", body=SessionSettings(description="a"), expect=Session, status=200)
call("change_session", "nightly", body=SessionChange(description="b"), expect=ChangedSession)

# Downloads, in every state.
done = ended(call("create_download", body=DownloadRequest(url=url, session="nightly"), expect=Download))
assert done.state == "completed", done.error
failed = ended(call("create_download", body=DownloadRequest(url=missing, max_attempts=1), expect=Download))
assert failed.state == "failed" and failed.error.http_status == 404, failed.error
paused = call("create_download", body=DownloadRequest(url=url, start=False, priority=3), expect=Download)
batch = BatchRequest(items=[DownloadRequest(url=url, start=False) for _ in range(2)])
items = call("create_downloads", body=batch, expect=Batch, status=201).items
both = BatchRequest(items=[DownloadRequest(url=url, start=False), DownloadRequest(url="nowhere")], atomic=False)
assert call("create_downloads", body=both, expect=BatchResults, status=207).items[1].problem
refused = call("create_download", body=DownloadRequest(url="nowhere"), expect=Problem, status=400)
assert refused.errors[0].pointer == "/url"
call("change_download", paused.id, body=DownloadChange(priority=4), expect=Download)
for flag in (False, UNSET):
    call("change_download", paused.id, body=DownloadChange(keep_partial=flag, force=flag, priority=4), expect=Download)
for action in DownloadChangeAction.CANCEL, DownloadChangeAction.RETRY, DownloadChangeAction.PAUSE:
    call("change_download", paused.id, body=DownloadChange(action=action), expect=Download)
call("change_download", done.id, body=DownloadChange(action=DownloadChangeAction.PAUSE), expect=Problem, status=409)
call("head_download", done.id, status=200)
call("head_file", done.id, status=200)
call("get_file", done.id, status=200)
assert len(call("get_file", done.id, range_="bytes=1-2", status=206).payload.read()) == 2
call("get_file", done.id, range_=f"bytes={4 << 20}-", expect=Problem, status=416)
call("get_file", paused.id, expect=Problem, status=409)
assert call("list_attempts", failed.id, expect=AttemptPage).items[0].http_status == 404
call("list_segments", done.id, expect=SegmentList)
call("get_download", done.id, fields=[DownloadMember.STATE], expect=PartialDownload)
call("get_download", done.id, view=GetDownloadView.SUMMARY, expect=PartialDownload)
for view in ListDownloadsView:
    assert call("list_downloads", view=view, expect=DownloadPage).items
assert call("list_downloads", fields=[DownloadMember.NAME], count=True, limit=1, expect=DownloadPage).next_cursor
assert call("probe", body=DownloadRequest(url=url), expect=Probe).size_bytes == 4 << 20
assert call("probe", body=DownloadRequest(url=missing), expect=Probe).error.http_status == 404

# Actions on many.
whole = BulkAction(action=BulkActionAction.PAUSE, filter_=DownloadFilter(), dry_run=False)
operation = call("act_on_downloads", body=whole, expect=Operation)
some = BulkAction(action=BulkActionAction.CANCEL, ids=[item.id for item in items])
call("act_on_downloads", body=some, expect=Operation)
while operation.state != "finished":
    operation = call("get_operation", operation.id, expect=Operation)

# Events: of downloads, sessions, operations and webhooks. One without parameters is all of them.
kinds = {type(event).__name__ for event in call("list_events", limit=200, expect=EventPage).items}
assert {"LoggedDownloadEvent", "LoggedSessionEvent", "LoggedOperationEvent", "LoggedWebhookEvent"} <= kinds, kinds
types = {event.type_ for event in call("list_download_events", done.id, expect=EventPage).items}
assert "download.completed" in types, types
ticket = call("create_ticket", body=TicketRequest(path=f"/downloads/{done.id}/file"), expect=Ticket)
assert httpx.get(service + ticket.links.resource).status_code == 200

# What became of the ping, and of its repetition.
while (detail := call("get_delivery", webhook.id, delivery.id, expect=DeliveryDetail)).state == "pending":
    call("list_events", expect=EventPage)
assert detail.attempts[0].http_status == 204, detail
call("redeliver", webhook.id, delivery.id, body=RedeliverBody(), expect=Delivery)
assert call("list_deliveries", webhook.id, expect=DeliveryPage).items

# Lists, statistics, deletions.
assert call("list_hosts", expect=HostPage).items
assert call("get_host", authority, expect=Host).authority == authority
call("change_host", authority, body=HostChange(limits=None), expect=Host)
assert call("get_stats", expect=Stats).counts
assert call("list_sessions", expect=SessionPage).items[0].name == "nightly"
assert call("get_session", "nightly", expect=Session).counts["completed"] == 1
call("delete_download", failed.id, status=204)
call("delete_download", done.id, delete_file=False, force=False, status=204)
call("get_download", failed.id, expect=Problem, status=404)
call("delete_session", "nightly", status=204)
call("delete_webhook", webhook.id, status=204)

for operation in sorted(set(modules) - called):
    if is_plain(modules[operation]):
        assert call(operation, status=200) is not None, operation

assert called == set(modules), set(modules) ^ called
print(len(called), "operations called; every answer was read")
