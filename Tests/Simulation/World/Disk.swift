import CWorld
import Glibc

/// The folder of the process that runs. Each process that follows gets a copy of what the one before has left.
///
/// The files are real, in a memory file system, so the kernel gives every call its meaning. The C side knows what of
/// them was flushed.
final class Disk {
    /// What an end of a process leaves.
    enum Loss: Int, CaseIterable {
        case kill, nothingStays, journal, strict, torn

        var value: world_loss {
            switch self {
            case .kill: WORLD_KILL
            case .nothingStays: WORLD_NOTHING_STAYS
            case .journal: WORLD_JOURNAL
            case .strict: WORLD_STRICT
            case .torn: WORLD_TORN
            }
        }
    }

    /// What a flush can be asked for; one that lies says that it did.
    struct Kinds: OptionSet {
        let rawValue: UInt32

        static let folders = Kinds(rawValue: WORLD_FOLDER.rawValue)
        static let databases = Kinds(rawValue: WORLD_DATABASE.rawValue)
        static let files = Kinds(rawValue: WORLD_FILE.rawValue)
    }

    private let base: String
    private let lies: Kinds
    private var number = 0

    /// The folder of the present process.
    var folder: String { "\(base)/\(number)" }

    /// - Parameter base: A folder of this life alone. It is emptied.
    init(_ base: String, lies: Kinds = []) {
        (self.base, self.lies) = (base, lies)
        Self.remove(base)
        mkdir(base, 0o700)
        mkdir(folder, 0o700)
    }

    /// Everything in the folder counts as flushed from now on.
    func watch() {
        world_disk_begin(folder)
        world_disk_lie(lies.rawValue)
    }

    /// Ends the process that runs, and makes the folder of the next one.
    func end(_ loss: Loss) {
        let next = "\(base)/\(number + 1)"
        world_disk_copy(next, loss.value) { UInt64(World.current.choices.number(below: Int($0), .disk)) }
        number += 1
        watch()
    }

    /// Removes a folder and everything in it.
    static func remove(_ path: String) { world_remove_folder(path) }
}
