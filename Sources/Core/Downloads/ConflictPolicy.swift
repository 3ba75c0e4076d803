import HTTPFields

/// How to proceed if the file name is taken.
public enum ConflictPolicy: String, CaseIterable, Hashable, Sendable {
    /// The new file gets the next free name: `a (1).iso`.
    case rename
    /// The new file replaces the old one.
    case overwrite
    /// The download fails.
    case fail
    /// A file with the expected size and digests counts as the download's, and nothing is fetched. Otherwise as
    /// ``rename``.
    case skip
    /// The file is fetched only if the origin has another version than the one that was downloaded there, and then
    /// replaces it.
    case ifNewer = "if_newer"

    /// Whether the new file replaces the old one.
    public var replaces: Bool { self == .overwrite || self == .ifNewer }

    /// Whether the new file may get another name.
    public var renames: Bool { self == .rename || self == .skip }
}
