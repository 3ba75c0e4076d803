import Core
import HTTPFields

/// A complete, verified and durable part file. Only the publication changes it.
///
/// Its bytes are durable. Its directory entry may not be, if nothing was flushed before. In a folder, the move and the
/// flush of the target folder follow immediately and make the final name durable. If the power fails before that,
/// neither name may exist; the file is then fetched again and never counts as completed.
struct VerifiedPart {
    let name: PartName
    let digests: [Digest]
    /// That of the part file, which a rename does not change.
    let identity: FileIdentity
}
