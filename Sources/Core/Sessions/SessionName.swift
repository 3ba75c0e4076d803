/// The client's name for a group of downloads: the counterpart of a background session's identifier.
///
/// 1 to 128 letters, digits, `.`, `_`, `:` and `-`, the first a letter or digit.
public struct SessionName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// The name that `text` is, or nil where it is not one.
    public init?(_ text: String) {
        guard let first = text.utf8.first, text.utf8.count <= 128, Self.isAlphanumeric(first) else { return nil }
        guard text.utf8.allSatisfy({ Self.isAlphanumeric($0) || Self.punctuation.contains($0) }) else { return nil }
        self.text = text
    }

    private static let punctuation = Array("._:-".utf8)

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

/// What a user may ask of all downloads of a session at once. A retry is not among them: what failed, and what was
/// given up, is not always what is wanted again.
public enum SessionAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel

    /// What is asked of each download.
    public var downloadAction: DownloadAction {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel: .cancel
        }
    }

    /// Whether the action moves a download that stands in `state`.
    ///
    /// One that waits for its time is not let go on before it, as it would be if it were asked for alone: it was not
    /// paused. So a `resume` that is repeated changes nothing.
    public func moves(_ state: DownloadState, waitingFor reason: WaitingFor?) -> Bool {
        switch (self, state) {
        case (.pause, .queued), (.pause, .running), (.pause, .waiting): true
        case (.resume, .paused): true
        case (.resume, .waiting): reason != .schedule
        case (.cancel, .queued), (.cancel, .running), (.cancel, .waiting), (.cancel, .paused): true
        case (_, .queued), (_, .running), (_, .waiting), (_, .paused), (_, .completed), (_, .failed), (_, .cancelled):
            false
        }
    }
}

/// What an action on all downloads of a session came to.
public struct SessionActionResult: Hashable, Sendable {
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
