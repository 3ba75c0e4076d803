/// A client's name for a group of downloads. It corresponds to the identifier of a background session.
///
/// It has 1 to 128 letters, digits, `.`, `_`, `:` and `-`, and begins with a letter or digit.
public struct SessionName: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public var description: String { text }

    /// Parses a name. Returns nil if it is invalid.
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

/// An action on all downloads of a session. There is no retry, because clients do not always need all failed and
/// cancelled downloads again.
public enum SessionAction: String, CaseIterable, Hashable, Sendable {
    case pause, resume, cancel

    /// The corresponding action on each download.
    public var downloadAction: DownloadAction {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .cancel: .cancel
        }
    }

    /// Whether the action changes a download in `state`.
    ///
    /// `resume` does not affect a download that waits for its `not_before_at`, because that download was not paused; a
    /// `PATCH` of the download itself does. So a repeated `resume` changes nothing.
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

/// The result of an action on all downloads of a session.
public struct SessionActionResult: Hashable, Sendable {
    public let action: SessionAction
    /// The number of downloads that the action applied to, in their state at the time of the request.
    public var matched: Int
    /// The number of changed downloads.
    public var changed: Int
    /// The number of downloads that had already ended or already had the requested state.
    public var unchanged: Int
    /// The number of downloads that could not be changed, because they are in phase `publishing`.
    public var refused: Int

    public init(action: SessionAction, matched: Int, changed: Int = 0, unchanged: Int = 0, refused: Int = 0) {
        self.action = action
        self.matched = matched
        self.changed = changed
        self.unchanged = unchanged
        self.refused = refused
    }
}
