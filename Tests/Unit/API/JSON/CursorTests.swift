import ServiceSupport
import Testing

@testable import API

private let sealer = CursorSealer(
    seal: { $0.map { $0 ^ 0x5A } + [$0.reduce(0, ^)] },
    open: { sealed in
        let bytes = sealed.dropLast().map { $0 ^ 0x5A }
        return bytes.reduce(0, ^) == sealed.last ? bytes : nil
    }
)

@Test func aCursorComesBackAsItWas() {
    let cursor = Cursor(lastKey: Samples.id, list: "downloads?state=queued")

    #expect(Cursor(cursor.text(sealer), list: "downloads?state=queued", sealer) == cursor)
}

@Test func aCursorOfOtherFiltersIsRefused() {
    let text = Cursor(lastKey: Samples.id, list: "downloads?state=queued").text(sealer)

    #expect(Cursor(text, list: "downloads?state=paused", sealer) == nil)
    #expect(Cursor(text, list: "sessions", sealer) == nil)
}

@Test(arguments: ["", "A", "!!!!", "AAAA", "QUJD====", String(repeating: "A", count: 2000)])
func invalidCursorsAreRefused(_ text: String) {
    #expect(Cursor(text, list: "downloads", sealer) == nil)
}

@Test func aChangedCursorIsRefused() {
    let text = Cursor(lastKey: Samples.id, list: "downloads").text(sealer)

    for index in text.indices {
        let other = text[index] == "A" ? "B" : "A"
        let changed = text.replacingCharacters(at: index, with: other)
        #expect(Cursor(changed, list: "downloads", sealer) == nil)
    }
}

@Test(arguments: [([], ""), ([0xFB], "-w"), ([0xFF, 0xEF], "_-8"), ([1, 2, 3], "AQID")] as [([UInt8], String)])
func bytesSurviveBase64URL(_ bytes: [UInt8], _ text: String) {
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
}

@Test(arguments: ["-x", "A", "A===", "AQ+D"])
func aSecondSpellingOfTheSameBytesIsRefused(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
}

extension String {
    fileprivate func replacingCharacters(at index: Index, with text: String) -> String {
        String(self[..<index]) + text + String(self[self.index(after: index)...])
    }
}
