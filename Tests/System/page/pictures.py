"""Makes the pictures of each view and dialogue: light, dark and phone. They are in docs/pictures and the README."""

import pathlib
import shutil
import subprocess
import tempfile

from world import Origin, Service, opened, wait_for

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "docs/pictures"
DESK = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


def seed(service, origin):
    """A day in the life of the service."""
    ended = []
    for number in range(1, 25):
        photo = f"{origin.url}/fast/{number * 123457}/photo-2026-11-{number:02}.jpg"
        ended.append(service.add(photo, session="com.example.sync", directory="photos/2026"))
    ended.append(service.add(f"{origin.url}/fast/2400000/report-Q3.pdf", directory="media/reports/2026"))
    for row in ended:
        service.wait(row["id"], "completed")
    gone = service.add(f"{origin.url}/404/linux-0.01.tar.gz", max_attempts=1)
    digest = {"digests": {"sha-256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}}
    wrong = service.add(f"{origin.url}/fast/4980000/model-00003-of-00007.safetensors", expected=digest, max_attempts=1)
    service.add(f"{origin.url}/503/index.json")
    service.add(f"{origin.url}/fast/100/tonight.iso", not_before_at="2099-12-24T18:00:00.000Z", session="nightly")
    paused = service.add(f"{origin.url}/slow/300000000/backup-2026-11-21.tar.zst", session="nightly")
    wait_for(lambda: received(service, paused) > 3_000_000, "some bytes")
    service.ask("PATCH", f"/downloads/{paused['id']}", {"action": "pause"})
    service.add(f"{origin.url}/slow/90000000/{'a-name-that-says-everything-about-its-file-' * 3}v2.tar.zst")
    service.add(f"{origin.url}/slow/180000000/linux-6.12.tar.xz", limits={"rate_bytes_per_second": 900_000})
    service.add(f"{origin.url}/slow/400000000/planet-latest.osm.pbf", session="nightly")
    text = "The installer of the lab."
    main = service.add(f"{origin.url}/slow/80000000/debian-12.7.0-amd64-DVD-1.iso", description=text, priority=5)
    service.wait(gone["id"], "failed")
    service.wait(wrong["id"], "failed")
    hook = service.ask("POST", "/webhooks", {"url": f"{origin.url}/hook", "description": "The index of the lab"})
    service.ask("POST", f"/webhooks/{hook['id']}/ping", {})
    service.ask("POST", "/webhooks", {"url": "https://hooks.example.com/cormorant", "types": ["download.failed"]})
    wait_for(lambda: received(service, main) > 30_000_000, "more bytes")
    return hook


def received(service, row):
    return service.ask("GET", f"/downloads/{row['id']}")["progress"]["received_bytes"]


def details(view, name="debian"):
    view.page.locator("#table .name", has_text=name).first.click()
    view.wait_text("#detail", "What happened")
    view.page.wait_for_timeout(5000)


def menu(view):
    view.row("debian").get_by_role("button", name="More").click()


def change(view):
    menu(view)
    view.page.locator(".menu").get_by_text("Change…").click()


def options(view, origin):
    view.page.fill("#urls", f"{origin.url}/fast/2400000/report.pdf\n{origin.url}/404/absent.iso\nmagnet:?xt=urn:btih:1")
    view.page.click("#options")
    view.wait_text(".looks", "2.29 MiB")
    view.page.wait_for_timeout(1500)
    view.page.click("#download")


def limits(view):
    view.page.click("#limit")
    view.page.locator("dialog").get_by_label("All downloads together").fill("quick")
    view.page.click("dialog .primary")


def select(view):
    for key in "jxjjxjx":
        view.page.keyboard.press(key)


def first_button(name):
    return lambda view: view.page.get_by_role("button", name=name).first.click()


def search(text):
    def run(view):
        view.page.fill("#search", text)
        view.page.wait_for_timeout(700)

    return run


def nothing(view):
    pass


def steps(origin, hook):
    """The name of each picture, its address, its window and what is done before it is taken."""
    yield "downloads", "/#all", DESK, details
    yield "waiting", "/#waiting", DESK, nothing
    yield "failed", "/#failed", DESK, lambda view: details(view, "model")
    yield "add", "/#all", DESK, lambda view: options(view, origin)
    yield "menu", "/#all", DESK, menu
    yield "change", "/#all", DESK, change
    yield "delete", "/#done", DESK, lambda view: view.page.locator("#table [data-action=delete]").first.click()
    yield "limits", "/#all", DESK, limits
    yield "selected", "/#all", DESK, select
    yield "nothing-found", "/#all", DESK, search("no such file")
    yield "session", "/#session/nightly", DESK, nothing
    yield "keys", "/#all", DESK, lambda view: view.page.keyboard.press("?")
    yield "hosts", "/#hosts", DESK, nothing
    yield "webhooks", "/#webhooks", DESK, nothing
    yield "webhook-add", "/#webhooks", DESK, first_button("Add a webhook")
    yield "deliveries", f"/#webhooks/{hook['id']}", DESK, nothing
    yield "delivery", f"/#webhooks/{hook['id']}", DESK, first_button("Look")
    yield "events", "/#events", DESK, nothing
    yield "settings", "/#settings", DESK, nothing


DARK = {"downloads", "add", "limits", "webhooks"}
ON_PHONE = {
    *("downloads", "waiting", "failed", "add", "menu"),
    *("hosts", "deliveries", "events", "settings"),
}


def make(options, browser, world):
    FOLDER.mkdir(parents=True, exist_ok=True)
    folder = tempfile.mkdtemp()
    origin = Origin()
    origin.rate = 250_000
    service = Service(options.program, folder, "--max-concurrent", "6").start()
    server = options.source and __import__("source_server").SourceServer(service.port)
    url = server.url if server else service.url
    try:
        hook = seed(service, origin)
        for name, path, window, act in steps(origin, hook):
            if options.only and name not in options.only:
                continue
            take(browser, url, name, path, act, window)
            if name in DARK:
                take(browser, url, f"{name}-dark", path, act, {**window, "color_scheme": "dark"})
            if name in ON_PHONE:
                scheme = "dark" if name in ("waiting", "events") else "light"
                take(browser, url, f"{name}-phone", path, act, {**PHONE, "color_scheme": scheme})
        if not options.only or "offline" in options.only or "empty" in options.only:
            take_empty(options, browser)
            take(browser, url, "offline", "/#all", lambda view: leave(view, service), DESK)
    finally:
        service.end()
        origin.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def take_empty(options, browser):
    """A new service, and one that asks for its token."""
    for name, token in [("empty", None), ("sign-in", "a-token-of-the-pictures")]:
        folder = tempfile.mkdtemp()
        service = Service(options.program, folder, token=token).start()
        server = options.source and __import__("source_server").SourceServer(service.port)
        try:
            take(browser, server.url if server else service.url, name, "/#all", nothing, DESK, is_live=token is None)
        finally:
            service.end()
            shutil.rmtree(folder, ignore_errors=True)


def leave(view, service):
    service.end(9)
    view.page.wait_for_selector("#offline:not([hidden])")


def take(browser, url, name, path, act, window, is_live=True):
    # On a phone the details cover the list, which is what the picture is of.
    if name == "downloads-phone":
        act = nothing
    with opened(browser, url, **window) as view:
        view.open(path)
        if is_live:
            view.live()
        view.page.wait_for_timeout(2500)
        act(view)
        view.page.wait_for_timeout(600)
        target = FOLDER / f"{name}.png"
        view.page.screenshot(path=target)
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--output", target, "64", target], check=False)
    print(f"picture {name}: {target.stat().st_size // 1024} KiB", flush=True)
