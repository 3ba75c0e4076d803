import Store

/// A download that was judged by what its request says, and is ready to be recorded.
public struct PreparedDownload: Sendable {
    let new: NewDownload
}
