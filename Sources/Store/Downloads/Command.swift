public import Core

/// A client's command on an existing download: an edit, an action, or both. The edit is applied first.
public struct Command: Sendable {
    /// Creates the edit from the download in the transaction. It may be called more than once.
    public typealias Edit = @Sendable (Download) throws -> DownloadEdit

    public var action: DownloadAction?
    public var edit: Edit
    /// For `cancel`: keeps the bytes for a later retry.
    public var keepsPartial: Bool
    /// For `retry`: begins a new run of a completed download.
    public var forces: Bool
    /// The expected revision. The command is refused if state or configuration changed since the client read them.
    public var expectedRevision: Int64?
    /// The time limit of a new run if the client has set no deadline.
    public var timeLimit: Duration

    public init(
        action: DownloadAction? = nil,
        edit: @escaping Edit = { _ in DownloadEdit() },
        keepsPartial: Bool = false,
        forces: Bool = false,
        expectedRevision: Int64? = nil,
        timeLimit: Duration
    ) {
        self.action = action
        self.edit = edit
        self.keepsPartial = keepsPartial
        self.forces = forces
        self.expectedRevision = expectedRevision
        self.timeLimit = timeLimit
    }
}

extension Command {
    /// Whether it ends work. Such a command must be recorded even if the disk is full.
    var freesSpace: Bool { action == .pause || action == .cancel }
}
