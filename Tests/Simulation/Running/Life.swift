import CWorld
import Core
import Glibc
import Store

/// One life: a scene in a world of its own.
struct Life {
    let seed: UInt64
    private(set) var faults: [String] = []
    private(set) var hash: UInt64 = 0
    private(set) var steps = 0
    /// How often a process ended before the last one.
    private(set) var ends = 0
    private(set) var lines: [String] = []
    private(set) var tally: [String: Int] = [:]
    private(set) var choices: Choices

    /// - Parameters:
    ///   - template: The folder that ``Scene/prepare(_:)`` has filled.
    ///   - base: A folder for the processes of this life.
    init(
        _ kind: SceneKind,
        seed: UInt64,
        choices: Choices? = nil,
        template: String,
        base: String,
        lies: Disk.Kinds = [],
        keepsTrace: Bool = false
    ) {
        self.seed = seed
        let choices = choices ?? Choices(seed: seed)
        self.choices = choices
        Self.seedRandomNumbers(seed)
        world_watch(20, seed)
        let world = World(choices, keepsTrace: keepsTrace)
        world.enter()
        let disk = Disk(base, lies: lies)
        world_disk_begin(template)
        world_disk_copy(disk.folder, WORLD_KILL) { _ in 0 }
        disk.watch()
        do {
            faults = try kind.type.init(world, disk).run()
        } catch {
            faults = ["\(error)"]
        }
        for fault in faults { world.note("fault: \(fault)") }
        // Nothing of this life may go on in the next one.
        world.kill()
        (tally, self.choices) = (world.tally, world.choices)
        (hash, steps, ends, lines) = (world.trace.hash, world.stepCount, world.killCount - 1, world.trace.lines)
        Disk.remove(base)
        Self.ended.append(world)
    }

    /// Lets every random number follow from the seed, those included that the life before has drawn and not used.
    private static func seedRandomNumbers(_ seed: UInt64) {
        world_seed(seed)
        let calls = world_random_calls()
        while world_random_calls() == calls { _ = DownloadID(drawnAt: World.begin) }
    }

    /// Worlds are kept: what they left in the middle would be reported as leaked.
    nonisolated(unsafe) private static var ended: [World] = []
}
