import Core
import HTTPFields
import Testing

@Suite struct LinkFieldTests {
    @Test func duplicatesComeByTheirPriority() {
        let links = LinkField.all(
            """
            <http://c/>; rel=duplicate, <http://b/?a=1,2;3>; rel="Duplicate"; pri=2; geo=de ,\
            <http://a/>;pri=1;rel="other duplicate", <http://d/>; rel=duplicate; pri=0, <http://e/>; rel=describedby
            """
        )

        #expect(links.duplicates == ["http://a/", "http://b/?a=1,2;3", "http://c/", "http://d/"])
    }

    @Test func aMetalinkIsToldByItsType() {
        let links = LinkField.all(
            """
            </a.torrent>; rel=describedby; type="application/x-bittorrent", \
            </a.meta4>; rel=describedby; type="application/metalink4+xml"
            """
        )

        #expect(links.metalink == "/a.meta4")
    }

    @Test(arguments: [
        ("", 0), ("a", 0), ("<a", 0), ("<a>; rel=duplicate x", 0), ("<a>; rel=\"duplicate", 0),
        ("<a>; rel=duplicate; anchor=\"/b\"", 0), ("<a>; rel=next", 0), ("<a>; rel=duplicate, <b", 1),
        (",, <a>; rel=duplicate ,", 1), ("<a> ; rel = duplicate ; pri = x", 1),
    ])
    func whatCannotBeReadIsPassedOver(_ value: String, _ count: Int) {
        #expect(LinkField.all(value).duplicates.count == count)
    }
}
