import Linux
import Model

/// A part file that is whole, verified and durable: nothing touches it any more but the move to its place.
///
/// Its bytes are durable; its name is not where nothing was flushed on the way. The move and the synchronisation of the
/// folder that it moves to follow at once, and make the final name durable. Where the power is lost before, the record
/// of the publishing may find neither name; the file is fetched again then, and never counts as completed.
struct SealedPart {
    let name: PartName
    let size: Int64
    let digests: [Digest]
    let identity: Model.FileIdentity
    /// As ``PublishedFile/modifiedNanoseconds``.
    let modifiedNanoseconds: Int64
}

extension PartFile {
    /// Gives the part its final size and permissions and makes all of it durable.
    func seal(size: Int64, digests: [Digest], _ engine: Engine) async throws(AttemptInterruption) -> SealedPart {
        try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { [mode = engine.settings.fileMode] () throws(SystemError) in
                try self.seal(size: size, digests: digests, mode: mode)
            }
        }
    }

    /// The same on the caller's thread.
    func seal(size: Int64, digests: [Digest], mode: UInt32) throws(SystemError) -> SealedPart {
        if try file.information().size != size { try file.truncate(to: size) }
        try file.setPermissions(mode)
        try flushing { () throws(SystemError) in try file.synchronize() }
        let information = try file.information()
        return SealedPart(
            name: name,
            size: size,
            digests: digests,
            identity: Model.FileIdentity(information.identity),
            modifiedNanoseconds: information.modifiedNanoseconds
        )
    }
}
