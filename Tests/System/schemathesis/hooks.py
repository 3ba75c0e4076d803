"""What schemathesis cannot know: where downloads may go in a test, and what a cursor looks like."""

import os
import re

import formats
import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation

ORIGIN = os.environ["CONTRACT_ORIGIN"]  # 127.0.0.1:PORT
TOKEN = os.environ.get("CONTRACT_TOKEN")

formats.register()

# A URL as openapi.yaml describes it: scheme, user information, host, port and rest.
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])"
_PORT = r"(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
_USER = r"(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%(?:[2-689A-Fa-f][0-9A-Fa-f]|7[0-9A-Ea-e]))*@)?"
_URL = re.compile(rf"[Hh][Tt][Tt][Pp][Ss]?://({_USER}){_HOST}{_PORT}((?:[/?#][!-\[\]-~]*)?)\Z")
_FILE_URL = re.compile(rf"([Ff][Tt][Pp][Ss]?|[Ss][Ff][Tt][Pp])://({_USER}){_HOST}{_PORT}(/[!-\[\]-~]*)\Z")


def _local(url):
    """A valid URL with the test's origin in place of its host; an invalid one as it is."""
    if not isinstance(url, str) or len(url) > 8192:
        return url
    if match := _URL.match(url):
        user, rest = match.groups()
        return f"http://{user}{ORIGIN}{rest}"[:8192]
    if match := _FILE_URL.match(url):
        # Nobody there speaks FTP; what is held against the description is the answer of the service.
        scheme, user, rest = match.groups()
        local = f"{scheme}://{user}{ORIGIN}{rest}"
        return local if len(local) <= 8192 else url
    return url


def _distinct(headers):
    """Without the names that differ in case alone, which no schema can forbid."""
    return {name.lower(): (name, value) for name, value in headers.items()}.values()


def _consistent(body):
    """Without what no schema can forbid: the same said twice, a body without a method that has one, and ids of
    webhooks and names of roots that are not there."""
    headers = body.get("request_headers")
    names = {name.lower(): name for name in headers} if isinstance(headers, dict) else {}
    for member, name in (("authentication", "authorization"), ("cookies", "cookie")):
        if body.get(member) and name in names:
            del headers[names[name]]
    if body.get("authentication") and isinstance(body.get("url"), str):
        body["url"] = re.sub(r"^([a-z]+://)[^/@]*@", r"\1", body["url"], flags=re.IGNORECASE)
    if body.get("proxy"):
        body["proxy"] = "none"
    if isinstance(body.get("body"), dict) and body.get("method") in (None, "GET"):
        body["method"] = "POST"
    if body.get("webhook_ids"):
        body["webhook_ids"] = []
    if isinstance(body.get("root"), str):
        body["root"] = None


def _of_its_action(body):
    """Without the members that belong to another action."""
    for member, action in (("keep_partial", "cancel"), ("force", "delete"), ("delete_file", "delete")):
        if body.get("action") != action:
            body.pop(member, None)


def _without_quota(body):
    """Without a limit on the bytes of a session, which no schema can say when a download has no room for (507)."""
    limits = body.get("limits")
    if isinstance(limits, dict) and type(limits.get("max_bytes")) is int and limits["max_bytes"] > 0:
        del limits["max_bytes"]


def _fast(body):
    """With limits on the rate that let the downloads of the other requests get done."""
    windows = body.get("rate_schedule")
    for limits in [body, body.get("limits")] + (windows if isinstance(windows, list) else []):
        for name in list(limits) if isinstance(limits, dict) else []:
            if name.startswith("rate_bytes_per_second") and type(limits[name]) is int and limits[name] >= 1024:
                limits[name] = max(limits[name], 1 << 30)


def _cursor(case):
    """A cursor of the service for the list that the request asks for, or none where the list has one page."""
    query = {name: value for name, value in case.query.items() if name != "cursor"} | {"limit": 1}
    answer = requests.get(
        case.operation.base_url.rstrip("/") + case.operation.path,
        params={name: ",".join(value) if isinstance(value, list) else value for name, value in query.items()},
        headers={"Authorization": f"Bearer {TOKEN}"} if TOKEN else {},
        timeout=10,
    )
    return answer.json().get("next_cursor") if answer.status_code == 200 else None


def _as_stream(case):
    """Lets what says how long a stream may last ask for one, of a second: the tool reads an answer to its end."""
    case.query["max_seconds"] = 1
    case.headers = {**(case.headers or {}), "Accept": "text/event-stream"}


def _hurried(case):
    """Without the patience to outlast the tool's own."""
    for name in [name for name in case.headers or {} if name.lower() == "prefer"]:
        case.headers[name] = "wait=1"


def _bodies(body):
    """The body, and the items of a batch."""
    items = body.get("items")
    return [body] + [item for item in (items if isinstance(items, list) else []) if isinstance(item, dict)]


@schemathesis.hook
def before_call(context, case, kwargs):
    # Without a token a POST says that it is one of JSON, even where it has no body; no schema can say that.
    if case.operation.method.upper() == "POST" and not TOKEN and not case.operation.body:
        case.headers = {**(case.headers or {}), "Content-Type": "application/json"}
    if isinstance(case.body, dict):
        if case.operation.path == "/sessions/{name}":
            _without_quota(case.body)
        is_wrong = case.meta and case.meta.is_negative_at(ParameterLocation.BODY)
        if case.operation.path == "/downloads/actions" and not is_wrong:
            _of_its_action(case.body)
        if case.operation.path in ("/limits", "/hosts/{authority}"):
            _fast(case.body)
        for body in _bodies(case.body):
            for member in ("url", "refresh_url", "callback_url"):
                if member in body:
                    body[member] = _local(body[member])
            headers = body.get("request_headers")
            if isinstance(headers, dict):
                body["request_headers"] = dict(_distinct(headers))
            if not is_wrong:
                _consistent(body)
    is_negative = case.meta and case.meta.is_negative_at(ParameterLocation.QUERY)
    # A token counts before a ticket, so any text may stand beside it; the service's own tests show tickets.
    if case.operation.path.endswith("/events") and case.query and "max_seconds" in case.query and not is_negative:
        _as_stream(case)
    # Either of them chooses the members, and no schema can forbid two parameters to stand together.
    if case.query and "fields" in case.query and not is_negative:
        case.query.pop("view", None)
    if case.operation.path in ("/downloads", "/downloads/{id}"):
        _hurried(case)
    if case.query and "cursor" in case.query and not is_negative:
        cursor = _cursor(case)
        if cursor is None:
            del case.query["cursor"]
        else:
            case.query["cursor"] = cursor
