import Glibc

/// What the page cache may expect, `posix_fadvise(2)`.
public enum FileAdvice: Hashable, Sendable {
    /// The file is read from front to back: read further ahead.
    case sequential
    /// The range is needed soon: begin to read it.
    case willNeed
    /// The range is not needed again: drop its pages. Pages not yet on the device stay.
    case dontNeed

    var rawAdvice: CInt {
        switch self {
        case .sequential: CInt(POSIX_FADV_SEQUENTIAL)
        case .willNeed: CInt(POSIX_FADV_WILLNEED)
        case .dontNeed: CInt(POSIX_FADV_DONTNEED)
        }
    }
}
