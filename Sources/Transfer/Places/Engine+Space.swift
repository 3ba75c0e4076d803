public import Core
import Linux
import TransferRules

/// The free space of each root.
extension Engine {
    /// The names of the roots, in order.
    public var rootNames: [RootName] { places.names }

    /// Whether no root has enough space for another download to start.
    public var isSpaceLow: Bool {
        let all = places.all
        return !all.isEmpty && all.values.allSatisfy(\.partFolder.space.isLow)
    }

    /// Whether a root has too little space, or a download has started to wait for space since ``clearAwaited()``.
    public var isSpaceShort: Bool { places.all.values.contains(where: \.partFolder.space.isShort) }

    /// The roots with too little space for another download to start.
    public var rootsShortOfSpace: [RootName] { places.all.filter(\.value.partFolder.space.isLow).map(\.key) }

    public func clearAwaited() {
        for files in places.all.values { files.partFolder.space.clearAwaited() }
    }

    /// Records that a download waits for disk space.
    public func recordSpaceShortage(of root: RootName) async {
        guard let space = places[root]?.partFolder.space else { return }
        await pool.run { space.recordSpaceShortage() }
    }

    /// The free space for downloads that wait for it, in bytes; nil while there is too little.
    ///
    /// A root that is not open has room: its downloads end their wait for space, and then wait for the root.
    public func roomForWaiting(in root: RootName) async -> Int64? {
        guard let space = places[root]?.partFolder.space else { return .max }
        return await pool.run { space.roomForWaiting() }
    }

    /// The free space above the limit at which waiting downloads continue, in bytes; nil if it cannot be read.
    public func roomAboveLimit(in root: RootName) async -> Int64? {
        guard let space = places[root]?.partFolder.space else { return nil }
        return await pool.run { space.roomAboveLimit() }
    }

    /// The room that a download of unknown length needs to continue, in bytes.
    public var leastRoom: Int64 { SpaceWindow.leastRoom }

    /// The free bytes of each root, if they can be read, and those that downloads have reserved.
    public func spaceNow() async -> [RootSpace] {
        let (names, all) = (places.names, places.all)
        return await pool.run {
            names.map { name in
                guard let files = all[name], self.places.isCurrent(files) else {
                    return RootSpace(root: name, isAvailable: false, freeBytes: nil, reservedBytes: 0)
                }
                let space = files.partFolder.space.current()
                return RootSpace(
                    root: name,
                    isAvailable: true,
                    freeBytes: space.free,
                    reservedBytes: space.reserved,
                    unsupported: files.unsupported
                )
            }
        }
    }

    /// The failure of a download that may not start now, because its root has too little space and others have enough.
    func shortage(in files: any FinishedFiles) -> TransferFailure? {
        guard places.names.count > 1, files.partFolder.space.isLow else { return nil }
        return TransferFailure(DownloadError(.diskFull, message: "\(files.root) has too little free space."))
    }
}
