/// How large the steps of an operation are, and how long the writer rests between them.
///
/// A request waits for one step at most. So a step that took long makes the next one smaller, and the writer is free
/// for others half of the time.
struct StepPace: Hashable, Sendable {
    /// How many downloads the next step acts on at most.
    private(set) var size = 32
    /// How long to wait before it.
    private(set) var rest = Duration.zero

    static let sizes = 8...256
    /// How long a step is to take.
    static let goal = Duration.milliseconds(8)
    /// A step that waited for a slow disk is not waited for as long again.
    private static let longestRest = Duration.milliseconds(250)

    /// Records how long a step took.
    mutating func record(_ duration: Duration) {
        rest = min(max(duration, .zero), Self.longestRest)
        if duration > Self.goal {
            size = max(size / 2, Self.sizes.lowerBound)
        } else if duration < Self.goal / 2 {
            size = min(size * 2, Self.sizes.upperBound)
        }
    }
}
