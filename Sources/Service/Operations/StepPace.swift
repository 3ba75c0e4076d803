/// The size of the steps of an operation, and the rest between them.
///
/// Other requests wait for at most one step. So a long step makes the next one smaller, and after each step the writer
/// is free for as long as the step took.
struct StepPace: Hashable, Sendable {
    /// The maximum number of downloads in the next step.
    private(set) var size = 32
    /// The rest before the next step.
    private(set) var rest = Duration.zero

    static let sizes = 8...256
    /// The desired duration of a step.
    static let goal = Duration.milliseconds(8)
    /// Limits the rest after a step that had to wait for a slow disk.
    private static let longestRest = Duration.milliseconds(250)

    /// Records the duration of a step.
    mutating func record(_ duration: Duration) {
        rest = min(max(duration, .zero), Self.longestRest)
        if duration > Self.goal {
            size = max(size / 2, Self.sizes.lowerBound)
        } else if duration < Self.goal / 2 {
            size = min(size * 2, Self.sizes.upperBound)
        }
    }
}
