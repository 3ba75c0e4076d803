import Core
import Testing

@Suite struct EventPatternTests {
    @Test func aPatternMeansOneAFamilyOrAll() {
        #expect(EventPattern("download.completed")?.types == [.downloadCompleted])
        #expect(EventPattern("session.*")?.types == [.sessionFinished])
        #expect(EventPattern("*")?.types == Set(EventType.allCases))
        #expect(
            EventPattern("download.*")?.types
                == Set(EventType.allCases).subtracting([.sessionFinished, .webhookDisabled, .webhookPing])
        )
    }

    @Test func progressIsOfTheFamilyOfDownloads() {
        #expect(EventPattern("download.progress")?.types == [])
        for text in ["download.progress", "download.*", "*"] { #expect(EventPattern(text)?.includesProgress == true) }
        for text in ["download.paused", "session.*"] { #expect(EventPattern(text)?.includesProgress == false) }
    }

    @Test(arguments: ["", "download", "download.", "*.completed", "down*", "downl.*", "download.complete", "x.*", "**"])
    func anythingElseMeansNothing(_ text: String) {
        #expect(EventPattern(text) == nil)
    }
}
