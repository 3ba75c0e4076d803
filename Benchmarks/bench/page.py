"""The page in a browser: how soon it is there, its size, and its frames beside a thousand running downloads."""

import contextlib
import json
import os
import pathlib
import shutil
import statistics
import sys
import time

from .goals import Goal
from .measuring import Table
from .poster import post_all
from .processes import wait_for
from .rows import multiply
from .running import START_SECONDS, Usage, dripping, running

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE, RATE, TRACED_SECONDS = 64 << 20, 20_000, 30
LISTED = 100_000
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
#: Scrolls by `step` in each frame, and counts the frames in which a part of the window has no row.
SCROLL = """([seconds, step]) => new Promise(resolve => {
  const result = { frames: 0, gaps: 0, stops: 0, longest: 0 }
  let last = performance.now()
  const end = last + seconds * 1000
  const run = now => {
    result.frames += 1
    result.longest = Math.max(result.longest, now - last)
    last = now
    const rows = [...document.querySelectorAll('#table tbody tr[data-id]')]
    const below = rows.at(-1).getBoundingClientRect().bottom
    const above = rows[0].getBoundingClientRect().top
    if (above > 250 && scrollY > 300) result.gaps += 1
    if (below < innerHeight && scrollY + innerHeight < document.documentElement.scrollHeight - 60) result.gaps += 1
    if (scrollY + innerHeight >= document.documentElement.scrollHeight - 1) result.stops += 1
    result.rows = Number(document.querySelector('#table tbody tr[data-id]').ariaRowIndex)
    scrollBy(0, step)
    if (now < end) requestAnimationFrame(run)
    else resolve(result)
  }
  requestAnimationFrame(run)
})"""


def measure(workspace, options):
    table = Table(
        ["the page", "measured"],
        notes=[
            f"A headless Chromium on the same cores. The first paint is the median of {options.rounds} loads without a"
            f" cache. Frames are read from a trace of {TRACED_SECONDS} s: the longest task of the page's thread. The"
            " share of a core is what the service uses more with the page open than without."
        ],
        is_median=False,
    )
    with browser() as chromium:
        loads(table, workspace, options, chromium)
        frames(table, workspace, options, chromium)
        scroll(table, workspace, chromium)
    return table


@contextlib.contextmanager
def browser():
    packages = list((ROOT / ".build/browser/lib").glob("python*/site-packages"))
    sys.path += map(str, packages)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("The page is measured with Playwright: run scripts/browser-page once, which installs it.")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        sys.exit("The page is measured in Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage"])


def address(service):
    """That of the page; of the files of the work tree if PAGE_SOURCE is set, so that no build is needed."""
    if not os.environ.get("PAGE_SOURCE"):
        return f"http://127.0.0.1:{service.port}/"
    sys.path.insert(0, str(ROOT / "Tests/System/page"))
    from source_server import SourceServer

    return f"{SourceServer(service.port).url}/"


def shown(page):
    page.set_default_timeout(120_000)
    page.wait_for_selector("#connection[data-state=live]")


def loads(table, workspace, options, chromium):
    with workspace.service() as service:
        post_all(service.port, [{"url": f"http://127.0.0.1:9/{n}", "start": False} for n in range(100)])
        url = address(service)
        paints, sizes = [], []
        for _ in range(options.rounds):
            context = chromium.new_context()
            page = context.new_page()
            page.goto(url)
            page.wait_for_selector("#table tbody tr[data-id]")
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            sizes.append(page.evaluate(
                "performance.getEntries().filter(e => e.entryType === 'navigation' || e.name.includes('/page/'))"
                ".reduce((sum, entry) => sum + entry.encodedBodySize, 0)"
            ))
            context.close()
    paint, size = statistics.median(paints), max(sizes)
    table.add("first paint (ms)", f"{paint:.0f}")
    table.add("all files, compressed (KiB)", f"{size / 1024:.1f}")
    table.goals.append(Goal("first paint", paint, "<", 300, "ms"))
    table.goals.append(Goal("all files, compressed", size / 1024, "<", 120, "KiB"))


def frames(table, workspace, options, chromium):
    count = options.running
    settings = {"max_concurrent": count, "max_per_host": count, "connections_per_host": count}
    with dripping(SIZE, RATE) as origin, workspace.service(connections_per_download=1, **settings) as service:
        post_all(service.port, [{"url": f"{origin}/{number}"} for number in range(count)])
        wait_for(lambda: running(service)[0] >= count, "the last download", START_SECONDS, 1)
        alone = share(service)
        page = chromium.new_page()
        page.goto(address(service))
        shown(page)
        page.wait_for_selector("#table tbody tr[data-state=running]")
        time.sleep(3)
        used = Usage(service.process.pid)
        chromium.start_tracing(page=page, categories=CATEGORIES)
        time.sleep(TRACED_SECONDS)
        trace = json.loads(chromium.stop_tracing())
        watched = used.seconds() / TRACED_SECONDS
        page.close()
    longest = longest_task(trace)
    extra = max(0, watched - alone) * 100
    table.add(f"longest task in {TRACED_SECONDS} s with {count:,} running (ms)", f"{longest:.1f}")
    table.add("what the page adds to the service (% of a core)", f"{extra:.1f}")
    table.goals += [
        Goal(f"{count:,} running: the longest frame", longest, "<", 50, "ms"),
        Goal(f"{count:,} running: what the page adds to the service", extra, "<", 5, "% of a core"),
    ]


def share(service, seconds=10):
    used = Usage(service.process.pid)
    time.sleep(seconds)
    return used.seconds() / seconds


def longest_task(trace):
    """The longest task of the page's main thread, in milliseconds."""
    events = trace["traceEvents"]
    threads = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    # The thread that lays out is that of the page; other renderers only exist.
    busy = {}
    for event in events:
        place = (event.get("pid"), event.get("tid"))
        if place in threads and event.get("name") in ("RunTask", "ThreadControllerImpl::RunTask"):
            busy.setdefault(place, []).append(event.get("dur", 0) / 1000)
    return max((max(tasks) for tasks in busy.values()), default=float("nan"))


def scroll(table, workspace, chromium):
    with workspace.service("listed", max_concurrent=1) as service:
        service.ask("PATCH", "/limits", {"paused": True})
        service.ask("POST", "/downloads", {"url": "http://127.0.0.1:9/one.bin"})
    multiply(workspace.folder / "listed" / "cormorant.db", LISTED, 1)
    with workspace.service("listed", goes_on=True, max_concurrent=1) as service:
        page = chromium.new_page()
        page.goto(address(service))
        shown(page)
        page.wait_for_selector("#table tbody tr[data-id]")
        result = page.evaluate(SCROLL, [10, 400])
        page.close()
    table.add(f"rows of {LISTED:,} scrolled in 10 s", f"{result['rows']:,}")
    table.add("frames with a gap, and at the end of what is loaded", f"{result['gaps']}, {result['stops']}")
    table.goals.append(Goal(f"{LISTED:,} rows: frames with a gap", result["gaps"] + result["stops"], "≤", 0, ""))
