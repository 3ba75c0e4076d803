public import Core
import Linux
import TransferRules

/// The free space of each root.
extension Engine {
    /// The names of the roots, in order.
    public var rootNames: [RootName] { disks.names }

    /// Whether no root has enough space for another download to start.
    public var isSpaceLow: Bool {
        let disks = disks.all
        return !disks.isEmpty && disks.values.allSatisfy(\.space.isLow)
    }

    /// Whether a root has too little space, or a download has started to wait for space since ``clearAwaited()``.
    public var isSpaceShort: Bool { disks.all.values.contains(where: \.space.isShort) }

    /// The roots with too little space for another download to start.
    public var rootsShortOfSpace: [RootName] { disks.all.filter(\.value.space.isLow).map(\.key) }

    public func clearAwaited() {
        for disk in disks.all.values { disk.space.clearAwaited() }
    }

    /// Records that a download waits for disk space.
    public func recordSpaceShortage(of root: RootName) async {
        guard let disk = disks[root] else { return }
        await pool.run { disk.space.recordSpaceShortage() }
    }

    /// The free space for downloads that wait for it, in bytes; nil while there is too little.
    ///
    /// A root that is not open has room: its downloads end their wait for space, and then wait for the root.
    public func roomForWaiting(in root: RootName) async -> Int64? {
        guard let disk = disks[root] else { return .max }
        return await pool.run { disk.space.roomForWaiting() }
    }

    /// The free space above the limit at which waiting downloads continue, in bytes; nil if it cannot be read.
    public func roomAboveLimit(in root: RootName) async -> Int64? {
        guard let disk = disks[root] else { return nil }
        return await pool.run { disk.space.roomAboveLimit() }
    }

    /// The room that a download of unknown length needs to continue, in bytes.
    public var leastRoom: Int64 { SpaceWindow.leastRoom }

    /// The free bytes of each root, if they can be read, and those that downloads have reserved.
    public func spaceNow() async -> [RootSpace] {
        let (names, disks) = (disks.names, disks.all)
        return await pool.run {
            names.map { name in
                guard let disk = disks[name], self.disks.isCurrent(disk) else {
                    return RootSpace(root: name, isAvailable: false, freeBytes: nil, reservedBytes: 0)
                }
                let space = disk.space.current()
                return RootSpace(
                    root: name,
                    isAvailable: true,
                    freeBytes: space.free,
                    reservedBytes: space.reserved,
                    unsupported: disk.folders.abilities?.missing
                )
            }
        }
    }

    /// The failure of a download that may not start now, because its root has too little space and others have enough.
    func shortage(on disk: Disk) -> TransferFailure? {
        guard disks.names.count > 1, disk.space.isLow else { return nil }
        return TransferFailure(DownloadError(.diskFull, message: "\(disk.root) has too little free space."))
    }
}
