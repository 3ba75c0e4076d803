"""Adding downloads: by typing, pasting, dropping and bookmark; and what is said when it does not work."""

import signal

from registry import test
from world import wait_for

METALINK = """<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">
<file name="tool.bin"><size>3000</size><url priority="2">{0}/fast/3000/b</url><url priority="1">{0}/fast/3000/a</url>
<hash type="sha-256">{1}</hash></file></metalink>"""
DIGEST = "0" * 64


@test()
def a_typed_url_is_probed_added_and_completed(view, service, origin):
    view.open().live()
    view.page.fill("#urls", f"{origin.url}/fast/2500000/report.pdf")
    view.wait_text(".looks", "2.38 MiB")
    assert "can resume" in view.text(".looks") and "report.pdf" in view.text(".looks")
    view.page.press("#urls", "Enter")
    view.wait_row("report.pdf", "completed")
    assert view.page.input_value("#urls") == ""


@test()
def a_wrong_line_is_said_at_the_field_and_stays(view, service, origin):
    view.open().live()
    text = f"{origin.url}/fast/10/good.bin\nmagnet:?xt=urn:btih:1\nnonsense"
    view.add(text)
    view.wait_text("#url-faults", "Line 2: This is a magnet link")
    assert "Line 3" in view.text("#url-faults")
    assert view.page.input_value("#urls") == text


@test()
def wrong_options_are_said_at_their_fields_and_stay(view, service, origin):
    view.open().live()
    view.page.fill("#urls", f"{origin.url}/fast/10/a.bin")
    view.page.click("#options")
    for label, value, words in [
        ("Priority", "high", "no whole number"),
        ("Priority", "999", "100"),
        ("Digest", "xyz", "hexadecimal"),
        ("Rate limit", "fast", "no rate"),
        ("Folder", "../etc", ""),
        ("Request headers", "no colon", "no name and value"),
    ]:
        field = view.page.locator(".options .field", has=view.page.get_by_text(label, exact=True)).first
        control = field.locator("input, textarea").first
        if label == "Request headers":
            view.page.click(".options summary")
        control.fill(value)
        view.page.click("#download")
        error = field.locator(".field-error")
        error.wait_for(state="visible")
        assert words in error.inner_text(), (label, error.inner_text())
        assert control.input_value() == value
        control.fill("")
    view.page.click("#download")
    view.wait_row("a.bin", "completed")


@test()
def what_was_typed_outlives_a_service_that_is_away_and_a_reload(view, service, origin):
    view.open().live()
    service.end(signal.SIGKILL)
    url = f"{origin.url}/fast/10/late.bin"
    view.add(url)
    view.wait_text("#url-faults", "cannot be reached")
    assert view.page.input_value("#urls") == url
    service.start()
    view.page.reload()
    view.live()
    assert view.page.input_value("#urls") == url
    view.page.click("#download")
    view.wait_row("late.bin", "completed")


@test()
def many_lines_are_added_once_and_the_refused_ones_stay(view, service, origin):
    view.open().live()
    lines = [f"{origin.url}/fast/10/{number}.bin" for number in range(20)]
    view.add("\n".join([*lines, lines[0], "ftp://example.com/folder/"]))
    view.wait_text("#url-faults", "ftp://example.com/folder/")
    assert view.page.input_value("#urls") == "ftp://example.com/folder/"
    assert len(service.ask("GET", "/downloads?limit=100")["items"]) == 20


@test()
def several_urls_on_one_line_are_as_many_downloads(view, service, origin):
    view.open().live()
    view.add(f"{origin.url}/fast/10/left.bin {origin.url}/fast/10/right.bin")
    view.wait_row("left.bin", "completed")
    view.wait_row("right.bin", "completed")


@test()
def dropped_lists_and_metalinks_are_read_and_others_refused_with_a_reason(view, service, origin):
    view.open().live()
    view.drop([("list.txt", f"# a list\n{origin.url}/fast/10/one.bin\n{origin.url}/fast/10/two.bin\n")])
    view.wait_text("#download", "Download 2")
    view.drop([("tool.meta4", METALINK.format(origin.url, DIGEST))])
    view.wait_text(".looks", "tool.bin")
    assert "2 sources" in view.text(".looks")
    view.drop([("film.torrent", "d8:announce3:url4:infod6:lengthi1eee")])
    view.wait_text("#messages", "BitTorrent")
    view.drop([("empty.meta4", "<metalink/>")])
    view.wait_text("#messages", "names no file")
    view.drop(text=f"{origin.url}/fast/10/three.bin")
    view.wait_text("#download", "Download 4")
    view.page.click("#download")
    view.wait_row("three.bin", "completed")
    tools = lambda: [row for row in service.ask("GET", "/downloads")["items"] if row["name"] == "tool.bin"]
    tool = wait_for(tools, "the file of the Metalink")
    assert tool[0]["url"].endswith("/a") and tool[0]["mirrors"][0].endswith("/b")
    expected = tool[0]["expected"]
    assert expected["size_bytes"] == 3000 and expected["digests"] == {"sha-256": DIGEST}


@test()
def a_bookmark_fills_the_form_and_sends_nothing(view, service, origin):
    view.open(f"/?add={origin.url}/fast/10/marked.bin").live()
    assert view.page.input_value("#urls").endswith("marked.bin")
    assert "add=" not in view.page.url
    assert service.ask("GET", "/downloads")["items"] == []
    view.page.wait_for_timeout(1500)
    assert service.ask("GET", "/downloads")["items"] == []
    assert origin.headers_seen == [], "a link made the service ask the origin"
    view.page.reload()
    view.live().page.wait_for_timeout(1500)
    assert origin.headers_seen == [], "a reload made the service ask the origin"
