import CFuzzer
import Glibc

/// Runs a reader with any input: `Fuzz TARGET [ARGUMENT...]`.
///
/// Linked with libFuzzer (`scripts/fuzz`), it makes inputs; the arguments are those of libFuzzer. In an ordinary build
/// it reads the inputs that are kept in `Tests/Fuzz/Corpus` once, or the files that are named; without a target it does
/// so for all of them.
@main
struct Fuzz {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--list" { return print(FuzzTarget.all.map(\.name).joined(separator: "\n")) }
        // A process that libFuzzer has started gets its arguments, without the name.
        if let name = getenv(Self.variable),
            let target = FuzzTarget.all.first(where: { $0.name == String(cString: name) })
        {
            makeInputs(of: target, CommandLine.argc, CommandLine.unsafeArgv)
        }
        let named = arguments.first.map { name in FuzzTarget.all.filter { $0.name == name } }
        guard named?.isEmpty != true else { exit(2, "no target has this name; --list names them") }
        if fuzzer_is_linked() {
            guard let target = named?.first else { exit(2, "expected the name of a target") }
            setenv(Self.variable, target.name, 1)
            // libFuzzer must not see the name of the target.
            CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
            makeInputs(of: target, CommandLine.argc - 1, CommandLine.unsafeArgv + 1)
        }
        var faults = 0
        for target in named ?? FuzzTarget.all {
            let replay = Replay(target, files: Array(arguments.dropFirst()))
            faults += replay.faults
            print("\(target.name): \(replay.count) inputs, \(replay.faults) faults")
        }
        Glibc.exit(faults == 0 ? 0 : 1)
    }

    /// The target that libFuzzer calls, which passes no context.
    private nonisolated(unsafe) static var target: FuzzTarget?

    /// Names the target for the processes that libFuzzer starts.
    private static let variable = "FUZZ_TARGET"

    private static func makeInputs(
        of target: FuzzTarget,
        _ count: Int32,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> Never {
        self.target = target
        let status = fuzzer_run(count, arguments) { start, count in
            let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
            do {
                try Fuzz.target?.run(bytes)
            } catch {
                fatalError("\(error)")
            }
            return 0
        }
        Glibc.exit(status)
    }

    private static func exit(_ status: Int32, _ reason: String) -> Never {
        print("fuzz: \(reason)")
        Glibc.exit(status)
    }
}
