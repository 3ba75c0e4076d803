"""The formats of openapi.yaml that schemathesis does not know: texts that the service accepts."""

import base64

import schemathesis
from hypothesis import strategies

# A text of each format, by an expression that is narrower than what the service accepts.
EXPRESSIONS = {
    "authority": r"cdn\.example|127\.0\.0\.1:8080|\[::1\]",
    "cookie-name": r"[A-Za-z][A-Za-z0-9_-]{0,15}",
    "cookie-value": r"[A-Za-z0-9+/=._-]{0,32}",
    "directory": r"[a-z0-9_]{1,8}(/[a-z0-9_é]{1,8}){0,3}",
    "error-code": r"timeout|disk_full",
    "file-name": r"[A-Za-z0-9_][A-Za-z0-9_ éß-]{0,12}[A-Za-z0-9_](\.[a-z]{1,3})?",
    "header-name": r"X-[A-Za-z0-9-]{1,16}|Authorization|Cookie|Accept|Referer",
    "header-value": r"[!-~]([ -~]{0,32}[!-~])?|",
    "key": r"[!-~]{1,64}",
    "label": r"[a-z]{1,8}:[a-z0-9]{1,8}",
    "md5": r"[0-9a-fA-F]{32}",
    "media-type": r"(application|text|image)/[a-z0-9.+-]{1,16}",
    "minute": r"([01][0-9]|2[0-3]):[0-5][0-9]",
    "mirror": r"https?://(cdn\.example|127\.0\.0\.1:[1-9][0-9]{2,3}|\[2001:db8::1\])(/[A-Za-z0-9._~%20-]{0,16})?",
    "password": r"[ -~éß]{0,32}",
    "proxy": r"none|(https?|socks5h?)://(user:pass@)?proxy\.example:[1-9][0-9]{0,3}",
    "root-name": r"[a-z0-9][a-z0-9_-]{0,31}",
    "session-filter": r"[A-Za-z0-9][A-Za-z0-9._:-]{0,16}\*?|\*",
    "sha-1": r"[0-9a-fA-F]{40}",
    "sha-256": r"[0-9a-fA-F]{64}",
    "sha-512": r"[0-9a-fA-F]{128}",
    "text": r"[ -~]{1,64}",
    "text-lines": r"[ -~\néß]{0,64}",
    "ticket-path": r"/events|/downloads/dl_[0-7][0-9a-hjkmnp-tv-z]{25}/(events|file)",
    "token": r"[!-~]{1,64}",
    "url": r"(https?://(user(:pass)?@)?(cdn\.example|[a-z]{1,8}(:[1-9][0-9]{0,3})?|\[2001:db8::1\])"
    r"(/[A-Za-z0-9._~-]{0,16})?(\?[a-z0-9=&]{0,8})?)|((ftps?|sftp)://(user@)?ftp\.example/[A-Za-z0-9._~-]{1,16})",
    "username": r"[ -9;-~éß]{0,32}",
    "webhook-header-name": r"X-[A-Za-z0-9-]{1,16}|Authorization|Accept",
    "window-end": r"([01][0-9]|2[0-3]):[0-5][0-9]|24:00",
}


def register():
    for name, expression in EXPRESSIONS.items():
        schemathesis.openapi.format(f"cormorant-{name}", strategies.from_regex(expression, fullmatch=True))
    bytes_of = strategies.binary(max_size=64)
    schemathesis.openapi.format("cormorant-base64", bytes_of.map(lambda data: base64.b64encode(data).decode()))
    secret = strategies.binary(min_size=24, max_size=64).map(lambda data: "whsec_" + base64.b64encode(data).decode())
    schemathesis.openapi.format("cormorant-secret", secret)
    # The hooks fill in a cursor of the service before the call.
    schemathesis.openapi.format("cormorant-cursor", strategies.just("filled in before the call"))
