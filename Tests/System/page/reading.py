"""Reading the page: with a keyboard, on a phone, in the dark, by a screen reader; and what scripts in data do."""

from axe_playwright_python.sync_playwright import Axe

from registry import test
from world import wait_for

SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>"
VIEWS = ["all", "failed", "done", "hosts", "webhooks", "events", "settings"]


@test()
def everything_is_done_by_keyboard_alone(view, service, origin):
    view.open().live()
    press = view.page.keyboard.press
    press("n")
    view.page.keyboard.type(f"{origin.url}/slow/90000000/typed.bin")
    press("Enter")
    view.wait_row("typed.bin", "running")
    press("Escape")
    press("j")
    wait_for(lambda: view.page.evaluate("document.activeElement.className") == "name", "the focus on the row")
    press("p")
    view.wait_row("typed.bin", "paused")
    press("x")
    view.wait_text("#selected", "1 selected")
    press("Escape")
    press("Enter")
    view.wait_text("#detail", "typed.bin")
    press("Escape")
    press("?")
    view.wait_text("dialog", "Pause")
    press("Escape")
    press("/")
    view.page.keyboard.type("typed")
    press("Escape")
    press("3")
    wait_for(lambda: view.page.url.endswith("#waiting"), "the view of waiting ones")
    press("1")
    view.wait_row("typed.bin", "paused")
    press("j")
    press("Delete")
    view.page.wait_for_selector("dialog .danger")
    press("Enter")
    view.page.wait_for_selector("dialog", state="detached")
    assert len(service.ask("GET", "/downloads")["items"]) == 1, "Enter alone deletes"
    press("Delete")
    view.page.wait_for_selector("dialog .danger")
    press("Tab")
    press("Enter")
    wait_for(lambda: service.ask("GET", "/downloads")["items"] == [], "the end of the download")


@test(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
def a_phone_shows_all_of_it_without_a_sideways_scroll(view, service, origin):
    row = service.add(f"{origin.url}/fast/1000/{'long-name-' * 20}.bin", session="s" * 60)
    service.wait(row["id"], "completed")
    for name in VIEWS:
        view.open(f"/#{name}").live()
        view.page.reload()
        view.live()
        width = view.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, (name, width)
    view.open("/#all").live()
    view.page.locator("#table .name").first.tap()
    view.page.wait_for_selector("#detail h2")
    assert view.page.locator("#detail").bounding_box()["width"] == 360
    # In one step, because the details may be drawn anew in between.
    heights = "all => all.filter(one => one.offsetParent).map(one => one.getBoundingClientRect().height)"
    assert min(view.page.eval_on_selector_all("#detail .quiet", heights)) >= 40


@test(color_scheme="dark")
def the_theme_follows_the_system_until_it_is_chosen(view, service, origin):
    ground = lambda: view.page.evaluate("getComputedStyle(document.body).backgroundColor")
    view.open().live()
    dark = ground()
    view.page.keyboard.press("t")
    wait_for(lambda: ground() != dark, "the light theme")
    view.page.reload()
    view.live()
    assert ground() != dark
    view.page.keyboard.press("t")
    wait_for(lambda: ground() == dark, "the dark theme")


def serious(page):
    results = Axe().run(page).response["violations"]
    return [
        (fault["id"], [node["target"] for node in fault["nodes"]][:3])
        for fault in results
        if fault["impact"] in ("serious", "critical")
    ]


def fill(service, origin):
    rows = [service.add(f"{origin.url}/fast/1000/{number}.bin", session="night") for number in range(5)]
    service.add(f"{origin.url}/slow/900000000/runs.bin")
    service.add(f"{origin.url}/slow/900000000/paused.bin", start=False)
    failed = service.add(f"{origin.url}/404/gone.bin", max_attempts=1)
    service.ask("POST", "/webhooks", {"url": f"{origin.url}/hook"})
    service.wait(rows[-1]["id"], "completed")
    service.wait(failed["id"], "failed")


@test()
def axe_finds_nothing_serious_in_any_view_or_dialog(view, service, origin):
    look_with_axe(view, service, origin)


@test(color_scheme="dark", viewport={"width": 360, "height": 740})
def axe_finds_nothing_serious_on_a_dark_phone(view, service, origin):
    look_with_axe(view, service, origin)


def look_with_axe(view, service, origin):
    fill(service, origin)
    found = {}
    for name in VIEWS:
        view.open(f"/#{name}").live()
        view.page.reload()
        view.live()
        view.page.wait_for_timeout(500)
        found[name] = serious(view.page)
    view.open("/#all").live()
    view.page.locator("#table .name", has_text="gone.bin").click()
    view.wait_text("#detail", "What happened")
    found["details"] = serious(view.page)
    view.page.get_by_role("button", name="Change…").click()
    found["change"] = serious(view.page)
    view.page.keyboard.press("Escape")
    view.page.click("#detail .icon-button")
    view.page.click("#limit")
    view.page.wait_for_selector("dialog")
    found["limits"] = serious(view.page)
    view.page.keyboard.press("Escape")
    view.page.click("#options")
    view.add("nonsense")
    found["options"] = serious(view.page)
    assert not any(found.values()), {name: faults for name, faults in found.items() if faults}


@test()
def scripts_in_names_urls_errors_and_labels_do_nothing(view, service, origin):
    text = SCRIPT.replace("/", "∕")
    row = service.add(
        f"{origin.url}/fast/100/%3Cimg%20src=x%20onerror=alert(1)%3E.html?q=%3Cscript>alert(3)%3C/script>",
        filename=f"{text}.html",
        labels={SCRIPT: SCRIPT},
        description=SCRIPT,
        metadata={"text": SCRIPT},
        request_headers={"X-Script": SCRIPT},
    )
    service.wait(row["id"], "completed")
    service.add(f"{origin.url}/fast/100/javascript:alert(4)")
    service.add(f"{origin.url}/404/{'%3Cscript%3E'}", max_attempts=1)
    service.ask("PUT", "/sessions/nightly", {"description": SCRIPT})
    service.ask("POST", "/webhooks", {"url": f"{origin.url}/hook", "description": SCRIPT})
    view.open().live()
    view.page.locator("#table .name", has_text="onerror").first.click()
    view.wait_text("#detail", SCRIPT)
    view.page.get_by_role("button", name="Raw JSON").click()
    view.page.keyboard.press("Escape")
    view.add(f"javascript:alert(5)\n{SCRIPT}")
    view.wait_text("#url-faults", "javascript:")
    view.page.fill("#search", SCRIPT)
    view.wait_text("#empty", SCRIPT)
    for name in ["events", "webhooks", "settings", "hosts", f"session/{SCRIPT}"]:
        view.open(f"/#{name}").live()
        view.page.reload()
        view.live()
    view.open(f"/?add={SCRIPT}").live()
    assert view.dialogs == []
    assert view.page.evaluate("document.querySelectorAll('body script, body img, body iframe').length") == 0
    assert view.page.evaluate("[...document.querySelectorAll('a')].every(a => /^(https?|ftp):/.test(a.href))")


@test()
def no_script_or_style_beside_the_files_of_the_page_runs(view, service, origin):
    view.open().live()
    view.page.evaluate(
        """() => {
            window.ran = 0
            const script = document.createElement('script')
            script.textContent = 'window.ran = 1'
            document.body.append(script)
            const link = document.createElement('a')
            link.setAttribute('onclick', 'window.ran = 2')
            document.body.append(link)
            link.click()
        }"""
    )
    assert view.page.evaluate("window.ran") == 0
    assert view.faults and all("Content Security Policy" in fault for fault in view.faults)
    view.faults.clear()
