import Core
@testable import cormorant
import Testing

struct EndingTests {
    @Test(arguments: [false, true])
    func theEndComesAfterTheBodyWhateverCameOfIt(_ fails: Bool) async {
        var steps: [String] = []
        var error: (any Error)?
        do {
            try await Ending.run {
                steps.append("body")
                if fails { throw CommandFailure(.software, "no") }
            } finally: {
                await Task.yield()
                steps.append("end")
            }
            steps.append("after")
        } catch let thrown {
            error = thrown
        }

        #expect(steps == (fails ? ["body", "end"] : ["body", "end", "after"]))
        #expect((error != nil) == fails)
    }
}
