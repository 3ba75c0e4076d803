/// What an action on all downloads of a session came to.
public struct SessionActed: Hashable, Sendable {
    public let action: SessionAction
    /// The downloads that the action was to move: those that stood so when it was asked for.
    public var matched: Int
    /// Those that it moved.
    public var changed: Int
    /// Those that had ended, or stood where they were to be, by the time that it came to them.
    public var unchanged: Int
    /// Those that it could not move any more: their files were being moved to their places.
    public var refused: Int

    public init(action: SessionAction, matched: Int, changed: Int = 0, unchanged: Int = 0, refused: Int = 0) {
        self.action = action
        self.matched = matched
        self.changed = changed
        self.unchanged = unchanged
        self.refused = refused
    }
}
