import Core
import Testing

@Suite
struct SpellingTests {
    @Test(arguments: [
        ("file_name", "filename"), ("filname", "filename"), ("FileName", "filename"), ("urll", "url"),
        ("max-attempts", "max_attempts"), ("max_atempt", "max_attempts"),
    ])
    func aMisspelledNameHasANearestOne(_ name: String, _ known: String) {
        #expect(Spelling.nearest(to: name, in: ["session", "filename", "url", "max_attempts"]) == known)
    }

    @Test(arguments: ["", "x", "ur", "priority", String(repeating: "u", count: 65)])
    func anotherNameHasNone(_ name: String) {
        #expect(Spelling.nearest(to: name, in: ["session", "filename", "label", "max_attempts"]) == nil)
    }

    @Test func theNearestOfSeveralIsChosen() {
        #expect(Spelling.nearest(to: "rate_limits", in: ["rate_list", "rate_limit"]) == "rate_limit")
    }
}
