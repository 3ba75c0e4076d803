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
    /// Whether the process has reached the call at which it ends. What it still does, nobody sees.
    private(set) var isAtEnd = false
    private var loss = Loss.kill

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

    /// Where a part of the folder can be kept while it is away.
    var keptAside: String { "\(base)/aside" }

    /// Ends the process that runs, and makes the folder of the next one.
    ///
    /// - Parameter change: What else changes in the folder meanwhile.
    func end(_ loss: Loss, change: (String) -> Void = { _ in }) {
        let world = World.current
        if !isAtEnd { copy(loss) }
        isAtEnd = false
        world.note("the process ends: \(self.loss)")
        world.count("end: \(self.loss)")
        number += 1
        change(folder)
        watch()
    }

    private func copy(_ loss: Loss) {
        self.loss = loss
        world_disk_copy("\(base)/\(number + 1)", loss.value) {
            UInt64(World.current.choices.number(below: Int($0), .disk))
        }
    }

    /// The process ends at the file call that is so many calls ahead.
    func endAtCall(_ call: Int, _ loss: Loss) {
        Self.ending = { [self] name in
            World.current.count("end at \(name)")
            copy(loss)
            isAtEnd = true
        }
        world_disk_stop_at(UInt64(call)) { Disk.ending?(String(cString: $0)) }
    }

    /// What happens at the call at which the process ends.
    nonisolated(unsafe) private static var ending: ((String) -> Void)?

    /// Lets so many file calls fail, from the one on that is so many calls ahead.
    func failAtCall(_ call: Int, count: Int, _ code: Int32) { world_disk_fail_at(UInt64(call), UInt64(count), code) }

    /// Removes a folder and everything in it.
    static func remove(_ path: String) { world_remove_folder(path) }
}
