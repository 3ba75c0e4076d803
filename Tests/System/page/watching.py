"""Watching and changing downloads: progress, pause, restart, many at once, search, order, details."""

import signal

from registry import test
from world import wait_for


@test()
def progress_moves_and_pause_keeps_the_bytes(view, service, origin):
    view.open().live()
    row = service.add(f"{origin.url}/slow/40000000/big.iso", limits={"connections": 2})
    view.wait_row("big.iso", "running")
    bar = view.row("big.iso").locator("progress")
    wait_for(lambda: float(bar.get_attribute("value") or 0) >= 2, "progress")
    view.row("big.iso").get_by_role("button", name="Pause").click()
    view.wait_row("big.iso", "paused")
    kept = service.ask("GET", f"/downloads/{row['id']}")["progress"]["received_bytes"]
    assert kept > 500_000
    origin.rate = 50_000_000
    view.row("big.iso").get_by_role("button", name="Resume").click()
    view.wait_row("big.iso", "completed")


@test()
def the_page_survives_a_kill_in_the_middle_and_catches_up(view, service, origin):
    view.open().live()
    service.add(f"{origin.url}/slow/30000000/long.iso")
    view.wait_row("long.iso", "running")
    service.end(signal.SIGKILL)
    view.page.wait_for_selector("#offline:not([hidden])")
    service.start()
    # This happens before the page is back.
    missed = service.add(f"{origin.url}/fast/100/missed.bin")
    service.wait(missed["id"], "completed")
    view.live()
    assert view.page.locator("#offline").is_hidden()
    view.wait_row("missed.bin", "completed")
    origin.rate = 50_000_000
    view.wait_row("long.iso", "completed")


@test(flags=["--max-concurrent", "2"])
def a_thousand_are_added_paused_and_deleted_together(view, service, origin):
    view.open().live()
    view.add("\n".join(f"{origin.url}/slow/9000000/{number}.bin" for number in range(1000)))
    view.wait_text("#total", "1,000")
    in_document = view.page.locator("#table tbody tr[data-id]").count()
    assert in_document < 120, in_document
    view.page.click("#table thead input[type=checkbox]")
    view.wait_text("#selected", "1,000 selected")
    view.page.click("#bulk-actions [data-action=pause]")
    wait_for(lambda: service.ask("GET", "/stats")["counts"]["paused"] == 1000, "the pause of all")
    view.wait_text("#messages", "1,000 downloads paused")
    view.page.click("a[href='#paused']")
    view.wait_text("#total", "1,000")
    view.page.keyboard.press("a")
    view.page.click("#bulk-actions [data-action=delete]")
    view.page.click("dialog .danger")
    wait_for(lambda: sum(service.ask("GET", "/stats")["counts"].values()) == 0, "the end of all")
    view.page.wait_for_selector("#empty:not([hidden])")


@test()
def search_and_order_show_what_they_say(view, service, origin):
    for number, name in enumerate(["cherry.bin", "apple.bin", "Banana.bin", "notes.txt"]):
        service.add(f"{origin.url}/fast/{(number + 1) * 1000}/{name}", labels={"env": "lab"} if number == 1 else {})
    view.open().live()
    names = lambda: view.page.locator("#table .name").all_inner_texts()
    view.wait_row("notes.txt", "completed")
    view.page.click(".name-head button")
    wait_for(lambda: names() == ["apple.bin", "Banana.bin", "cherry.bin", "notes.txt"], "the order by name")
    view.page.select_option("#sort", "-size")
    wait_for(lambda: names()[0] == "notes.txt", "the order by size")
    view.page.fill("#search", "BAN")
    wait_for(lambda: names() == ["Banana.bin"], "what was searched")
    view.page.fill("#search", "label:env:lab")
    wait_for(lambda: names() == ["apple.bin"], "what has the label")
    view.page.fill("#search", "nothing like it")
    view.wait_text("#empty", "Nothing found")
    view.page.reload()
    wait_for(lambda: view.page.input_value("#sort") == "-size", "the order that was chosen")


@test()
def details_tell_where_it_comes_from_and_what_to_do(view, service, origin):
    row = service.add(f"{origin.url}/404/gone.bin", max_attempts=1, description="The <b>lab</b>.")
    service.wait(row["id"], "failed")
    view.open().live()
    view.page.click("#table .name")
    view.wait_text("#detail", "Check the URL")
    detail = view.text("#detail")
    assert "/404/gone.bin" in detail and "The <b>lab</b>." in detail and "HTTP 404" in detail
    view.page.get_by_role("button", name="Raw JSON").click()
    view.wait_text("dialog pre", row["id"])
    view.page.keyboard.press("Escape")
    view.page.keyboard.press("Escape")
    wait_for(lambda: view.page.locator("#detail").is_hidden(), "the end of the details")
    view.page.go_back()


@test()
def a_change_is_saved_and_a_wrong_one_is_said_at_its_field(view, service, origin):
    row = service.add(f"{origin.url}/fast/100/a.bin", start=False)
    view.open().live()
    view.row("a.bin").get_by_role("button", name="More").click()
    view.page.locator(".menu").get_by_text("Change…").click()
    priority = view.page.locator("dialog").get_by_label("Priority")
    priority.fill("1000")
    view.page.click("dialog .primary")
    view.page.wait_for_selector("dialog .field-error:not([hidden])")
    assert priority.input_value() == "1000"
    priority.fill("7")
    view.page.locator("dialog").get_by_label("Rate limit").fill("2 MB")
    view.page.click("dialog .primary")
    view.page.wait_for_selector("dialog", state="detached")
    changed = service.ask("GET", f"/downloads/{row['id']}")
    assert changed["priority"] == 7 and changed["limits"]["rate_bytes_per_second"] == 2_000_000


@test()
def a_finished_file_is_saved_and_deleted_with_or_without_its_record(view, service, origin):
    rows = [service.add(f"{origin.url}/fast/100/{name}") for name in ["one.bin", "two.bin"]]
    for row in rows:
        service.wait(row["id"], "completed")
    view.open().live()
    with view.page.expect_download() as saved:
        view.row("one.bin").get_by_role("button", name="Save").click()
    assert saved.value.suggested_filename == "one.bin"
    view.row("one.bin").get_by_role("button", name="Delete").click()
    view.page.click("dialog .danger")
    view.row("two.bin").get_by_role("button", name="Delete").click()
    view.page.get_by_label("Delete the finished file too").check()
    view.page.click("dialog .danger")
    view.page.wait_for_selector("#empty:not([hidden])")
    assert service.ask("GET", "/downloads")["items"] == []
    files = sorted(path.name for path in service.downloads.iterdir())
    assert files == ["one.bin"], files


@test()
def a_deletion_of_all_names_how_many_they_are(view, service, origin):
    for number in range(3):
        items = [{"url": f"{origin.url}/fast/1/{number}-{index}", "start": False} for index in range(1000)]
        service.ask("POST", "/downloads/batch", {"items": items})
    view.open().live()
    view.page.keyboard.press("a")
    view.page.keyboard.press("Delete")
    view.wait_text("dialog h2", "Delete 3,000 downloads?")
    view.page.keyboard.press("Enter")
    view.page.wait_for_selector("dialog", state="detached")
    assert service.ask("GET", "/downloads?limit=1")["items"], "Enter alone deletes"


@test()
def a_cancelled_download_with_bytes_is_paused_and_comes_back(view, service, origin):
    row = service.add(f"{origin.url}/slow/90000000/big.bin")
    view.open().live()
    view.wait_row("big.bin", "running")
    wait_for(lambda: service.ask("GET", f"/downloads/{row['id']}")["progress"]["received_bytes"] > 0, "bytes")
    view.wait_text("#table", " of 85.8 MiB")
    view.row("big.bin").get_by_role("button", name="Cancel").click()
    view.wait_row("big.bin", "paused")
    view.page.get_by_role("button", name="Undo").click()
    view.wait_row("big.bin", "running")
    view.page.keyboard.press("j")
    view.page.keyboard.press("c")
    view.wait_row("big.bin", "paused")
    view.wait_row("big.bin", "cancelled")


@test()
def a_tab_that_is_closed_leaves_what_it_cancelled_paused(view, service, origin):
    rows = [service.add(f"{origin.url}/slow/90000000/{name}.bin") for name in "ab"]
    view.open().live()
    for row in rows:
        wait_for(lambda: service.ask("GET", f"/downloads/{row['id']}")["progress"]["received_bytes"] > 0, "bytes")
    view.wait_row("a.bin", "running")
    view.page.keyboard.press("a")
    view.page.locator("#bulk-actions").get_by_role("button", name="Cancel").click()
    view.page.get_by_role("button", name="Undo").wait_for()
    view.page.goto("about:blank")
    assert [service.state(row["id"]) for row in rows] == ["paused", "paused"]


@test()
def a_failed_download_is_given_another_url_and_retried_in_one_step(view, service, origin):
    row = service.add(f"{origin.url}/410/gone.bin")
    service.wait(row["id"], "failed")
    view.open().live()
    view.row("gone.bin").get_by_role("button", name="More").click()
    view.page.locator(".menu").get_by_text("Change…").click()
    dialog = view.page.locator("dialog")
    dialog.get_by_label("URL", exact=True).fill(f"{origin.url}/fast/100/found.bin")
    dialog.get_by_label("Request headers").fill("Referer")
    view.page.click("dialog .primary")
    view.wait_text("dialog .field-error:not([hidden])", "no name and value")
    dialog.get_by_label("Request headers").fill("Referer: https://example.com/")
    dialog.get_by_label("Login").fill("me:secret")
    view.page.click("dialog .primary")
    view.page.wait_for_selector("dialog", state="detached")
    service.wait(row["id"], "completed")


@test()
def all_tabs_share_one_event_stream(view, service, origin):
    view.open().live()
    streams = []
    view.page.context.on("request", lambda request: streams.append(request) if "/events?last" in request.url else None)
    tabs = [view.page.context.new_page() for _ in range(6)]
    for tab in tabs:
        tab.goto(view.url + "/", wait_until="domcontentloaded")
        tab.wait_for_selector("#connection[data-state=live]")
    service.add(f"{origin.url}/fast/100/shared.bin")
    for tab in [view.page, *tabs]:
        tab.wait_for_selector("#table tbody tr[data-state=completed] .name:has-text('shared.bin')")
    assert streams == [], f"{len(streams)} more streams"
    # The tab with the stream goes; another one opens it.
    view.page.close()
    service.add(f"{origin.url}/fast/100/later.bin")
    for tab in tabs:
        tab.wait_for_selector("#table tbody tr[data-state=completed] .name:has-text('later.bin')")
    assert len(streams) == 1, f"{len(streams)} streams"


@test()
def a_proxy_that_wants_a_sign_in_is_said(view, service, origin):
    view.open().live()
    login = {"status": 200, "content_type": "text/html", "body": "<h1>Sign in</h1>"}
    view.page.route("**/downloads", lambda route: route.fulfill(**login))
    view.add(f"{origin.url}/fast/10/kept.bin")
    view.wait_text("#messages", "Sign in again")
    assert view.page.input_value("#urls").endswith("kept.bin")
    view.page.unroute("**/downloads")
    view.page.get_by_role("button", name="Sign in again").click()
    view.live()
    assert view.page.input_value("#urls").endswith("kept.bin")
