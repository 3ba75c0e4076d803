"""Operating the service: webhooks, limits, hosts, events, token."""

from registry import test
from world import wait_for

TOKEN = "a-token-of-the-tests-1"


@test()
def a_webhook_is_added_delivered_to_and_delivered_to_again(view, service, origin):
    view.open("/#webhooks").live()
    view.page.get_by_role("button", name="Add a webhook").click()
    view.page.click("dialog .primary")
    view.page.wait_for_selector("dialog .field-error:not([hidden])")
    view.page.locator("dialog").get_by_label("Address").fill(f"{origin.url}/hook")
    view.page.click("dialog .primary")
    view.wait_text("dialog pre", "whsec_")
    view.page.keyboard.press("Escape")
    service.add(f"{origin.url}/fast/100/told.bin")
    wait_for(lambda: origin.hooks, "the delivery")
    view.page.locator("#panel a.name").click()
    view.wait_text("#panel", "Accepted")
    view.wait_text("#panel td a", "told.bin")
    view.page.get_by_role("button", name="Look").first.click()
    view.wait_text("dialog", "Answered 200")
    assert "told.bin" in view.text("dialog")
    view.page.keyboard.press("Escape")
    before = len(origin.hooks)
    view.page.get_by_role("button", name="Redeliver").first.click()
    wait_for(lambda: len(origin.hooks) > before, "the second delivery")
    view.page.get_by_role("button", name="Ping").click()
    wait_for(lambda: any(hook["type"] == "webhook.ping" for hook in origin.hooks), "the ping")


@test()
def limits_are_changed_and_all_is_paused(view, service, origin):
    service.add(f"{origin.url}/slow/90000000/big.bin")
    view.open().live()
    view.wait_row("big.bin", "running")
    view.page.click("#limit")
    field = view.page.locator("dialog").get_by_label("All downloads together")
    field.fill("quick")
    view.page.click("dialog .primary")
    view.wait_text("dialog .field-error:not([hidden])", "quick")
    field.fill("100")
    view.page.click("dialog .primary")
    view.wait_text("dialog .field-error:not([hidden])", "1024")
    field.fill("5 MB")
    view.page.click("dialog .primary")
    view.wait_text("#limit", "of 4.77 MiB/s")
    assert service.ask("GET", "/limits")["rate_bytes_per_second"] == 5_000_000
    view.page.click("#pause-all")
    view.wait_text("#pause-all", "Resume all")
    view.wait_row("big.bin", "queued")
    assert "paused" in view.row("big.bin").inner_text()
    view.page.click("#pause-all")
    view.wait_row("big.bin", "running")


@test()
def hosts_and_events_are_shown(view, service, origin):
    view.open("/#events").live()
    service.add(f"{origin.url}/fast/100/heard.bin")
    view.wait_text("#panel", "heard.bin")
    view.page.locator(".log button").first.click()
    view.wait_text("dialog pre", "download.")
    view.page.keyboard.press("Escape")
    view.page.click("a[href='#hosts']")
    view.page.get_by_role("button", name="Limit a host…").click()
    view.page.locator("dialog").get_by_label("Host", exact=True).fill("nowhere")
    view.page.click("dialog .primary")
    view.wait_text("dialog", "no host with a port")
    view.page.locator("dialog").get_by_label("Host", exact=True).fill(origin.authority)
    view.page.locator("dialog").get_by_label("Rate limit").fill("1 MB")
    view.page.click("dialog .primary")
    view.wait_text("#panel", "977 KiB/s")


@test(token=TOKEN)
def a_wrong_token_is_refused_and_the_right_one_opens_everything(view, service, origin):
    row = service.add(f"{origin.url}/fast/100/closed.bin")
    service.wait(row["id"], "completed")
    view.open()
    view.page.wait_for_selector("dialog.sign-in")
    assert view.page.locator("#table .name").count() == 0
    view.page.keyboard.press("Escape")
    field = view.page.get_by_label("Token")
    field.fill("wrong-token-wrong-token")
    view.page.keyboard.press("Enter")
    view.wait_text("dialog .field-error", "not the token")
    field.fill(TOKEN)
    view.page.keyboard.press("Enter")
    view.live()
    view.wait_row("closed.bin", "completed")
    with view.page.expect_download() as saved:
        view.row("closed.bin").get_by_role("button", name="Save").click()
    assert saved.value.suggested_filename == "closed.bin"
    assert TOKEN not in view.page.url
    kept = view.page.evaluate("[JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()")
    assert TOKEN not in kept
    view.page.reload()
    view.page.wait_for_selector("dialog.sign-in")


@test(token=TOKEN)
def a_token_that_is_kept_outlives_a_reload(view, service, origin):
    view.open()
    view.page.get_by_label("Token").fill(TOKEN)
    view.page.get_by_label("Keep it until this tab is closed").check()
    view.page.keyboard.press("Enter")
    view.live()
    view.page.reload()
    view.live()
    view.page.click("a[href='#settings']")
    view.page.get_by_role("button", name="Sign out").click()
    view.page.wait_for_selector("dialog.sign-in")
