import Glibc
import TestSupport
import Testing

@testable import Linux

/// No name leads out of a folder.
@Suite struct EscapeTests {
    let folder: TemporaryFolder
    let outside: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
    }

    @Test(arguments: ["", ".", "..", "/", "/etc/passwd", "../x", "a/b", "a/", "./a", "a\0b", "\0"])
    func namesWithSeveralComponentsAreRefused(_ name: String) throws {
        let directory = folder.directory

        for access in [FileAccess.read, .update, .create, .createIfMissing] {
            #expect(
                code { () throws(SystemError) in _ = try directory.openFile(named: name, access: access) } == EINVAL
            )
        }
        #expect(code { () throws(SystemError) in try directory.remove(name) } == EINVAL)
        #expect(code { () throws(SystemError) in _ = try directory.exists(name) } == EINVAL)
        #expect(try directory.entries().isEmpty)
    }

    @Test(arguments: ["..", "../x", "/x", "x", "a/b", "b\0"], [true, false])
    func aRenameOutOfTheFolderIsRefused(_ name: String, _ replacing: Bool) throws {
        try folder.write("mine", to: "file")
        let directory = folder.directory

        let refusal = code { () throws(SystemError) in
            try directory.rename("file", to: directory, name, replacing: replacing)
        }

        #expect(refusal == (name == "x" ? nil : EINVAL))
        #expect(try directory.entries() == [name == "x" ? "x" : "file"])
    }

    @Test(arguments: ["", "/", "/tmp", "..", "a/..", "a/../..", "a//b", "a/./b", "a/", "a\0/b"])
    func absoluteAndEscapingPathsAreRefused(_ path: String) throws {
        let directory = folder.directory

        let refusals = [true, false].map { creating in
            code { () throws(SystemError) in _ = try directory.openDirectory(relative: path, creating: creating) }
        }

        #expect(refusals == [EINVAL, EINVAL])
        #expect(code { () throws(SystemError) in _ = try directory.openFile(relative: path) } == EINVAL)
        #expect(try directory.entries().isEmpty)
    }

    @Test(arguments: ["..", "/etc/passwd", "a/../../x"], PathWalk.allCases)
    func aPathThatLeavesTheFolderIsRefusedByTheWalkToo(_ path: String, _ walk: PathWalk) throws {
        _ = try folder.directory.openDirectory(relative: "a", creating: true)

        let refusal = code { () throws(SystemError) in
            _ = try folder.directory(by: walk).openBeneath(path, flags: O_RDONLY)
        }

        // A rename anywhere keeps the kernel from being sure where `..` leads, and it says so (openat2(2), EAGAIN).
        #expect(refusal == EXDEV || refusal == EAGAIN)
    }

    @Test(arguments: PathWalk.allCases) func aLinkInTheMiddleIsRefused(_ walk: PathWalk) throws {
        try folder.link("link", to: outside.path)
        try outside.write("secret", to: "file")
        let directory = try folder.directory(by: walk)

        let refusals = ["link", "link/sub"].flatMap { path in
            [true, false].map { creating in
                code { () throws(SystemError) in _ = try directory.openDirectory(relative: path, creating: creating) }
            }
        }

        #expect(refusals == [ELOOP, ELOOP, ELOOP, ELOOP])
        #expect(code { () throws(SystemError) in _ = try directory.openFile(relative: "link/file") } == ELOOP)
        #expect(try outside.directory.entries() == ["file"])
    }

    @Test(arguments: PathWalk.allCases) func aLinkWithinTheFolderIsRefusedToo(_ walk: PathWalk) throws {
        let directory = try folder.directory(by: walk)
        _ = try directory.openDirectory(relative: "a/b", creating: true)
        try folder.link("link", to: "a")

        #expect(code { () throws(SystemError) in _ = try directory.openDirectory(relative: "link/b") } == ELOOP)
    }

    @Test(arguments: [FileAccess.read, .update, .createIfMissing], PathWalk.allCases)
    func aLinkAtTheEndIsRefused(_ access: FileAccess, _ walk: PathWalk) throws {
        try outside.write("secret", to: "file")
        try folder.link("link", to: "\(outside.path)/file")
        try folder.link("dangling", to: "\(outside.path)/new")

        for name in ["link", "dangling"] {
            #expect(
                code { () throws(SystemError) in
                    _ = try folder.directory(by: walk).openFile(named: name, access: access)
                } == ELOOP
            )
        }
        #expect(try outside.directory.entries() == ["file"])
    }

    @Test(arguments: PathWalk.allCases) func aLinkIsNotCreatedThrough(_ walk: PathWalk) throws {
        try folder.link("dangling", to: "\(outside.path)/new")

        let refusal = code { () throws(SystemError) in
            _ = try folder.directory(by: walk).openFile(named: "dangling", access: .create)
        }

        #expect(refusal == EEXIST)
        #expect(try outside.directory.entries().isEmpty)
    }

    @Test(arguments: ["cwd", "root", "root/etc"], PathWalk.allCases)
    func aMagicLinkToAFolderIsRefused(_ path: String, _ walk: PathWalk) throws {
        let process = try Directory(path: "/proc/self", walk: walk)

        #expect(code { () throws(SystemError) in _ = try process.openDirectory(relative: path) } == ELOOP)
    }

    @Test(arguments: PathWalk.allCases) func aMagicLinkToAFileIsRefused(_ walk: PathWalk) throws {
        let process = try Directory(path: "/proc/self", walk: walk)

        #expect(code { () throws(SystemError) in _ = try process.openFile(named: "exe", access: .read) } == ELOOP)
    }

    @Test func aLinkIsRemovedAndItsTargetStays() throws {
        try outside.write("secret", to: "file")
        try folder.link("link", to: "\(outside.path)/file")

        #expect(try folder.directory.information(of: "link").kind == .symbolicLink)
        #expect(try folder.directory.remove("link"))
        #expect(try outside.text(of: "file") == "secret")
    }

    @Test(arguments: PathWalk.allCases) func aPipeIsRefusedWithoutWaiting(_ walk: PathWalk) throws {
        try systemCall("mkfifo") { [path = folder.path] in mkfifo("\(path)/pipe", 0o600) }

        for access in [FileAccess.read, .update, .createIfMissing] {
            #expect(throws: SystemError(code: ENXIO, call: "open")) {
                try folder.directory(by: walk).openFile(named: "pipe", access: access)
            }
        }
    }

    @Test func aFolderIsNotAFile() throws {
        _ = try folder.directory.openDirectory(relative: "a", creating: true)

        #expect(
            code { () throws(SystemError) in _ = try folder.directory.openFile(named: "a", access: .read) } == EISDIR
        )
    }

    @Test(arguments: PathWalk.allCases) func aLinkSwappedInMeanwhileLeadsNowhere(_ walk: PathWalk) async throws {
        let pool = BlockingPool(threads: 2)
        let done = Counter()
        try folder.link("link", to: outside.path)
        _ = try folder.directory.openDirectory(relative: "place", creating: true)

        async let swapping: Void = pool.run { [path = folder.path] in
            while done.value == 0 { try exchange("\(path)/place", "\(path)/link") }
        }
        let directory = try folder.directory(by: walk)
        async let writing: Void = pool.run { [outside = outside.directory] in
            defer { done.increment() }
            try writeUntilBothWereMet(at: "place", in: directory, orSomethingIsIn: outside)
        }
        _ = try await (swapping, writing)

        #expect(try outside.directory.entries().isEmpty)
    }
}

/// Makes files at a place that is now a folder and now a link, until it has met each of them often.
private func writeUntilBothWereMet(
    at place: String,
    in directory: Directory,
    orSomethingIsIn outside: Directory
) throws {
    var written = 0
    var refused = 0
    while written < 20 || refused < 20 {
        guard try outside.entries().isEmpty else { return }
        let refusal = code { () throws(SystemError) in
            let folder = try directory.openDirectory(relative: place, creating: true)
            _ = try folder.openFile(named: "\(written)", access: .create)
        }
        switch refusal {
        case nil: written += 1
        case ELOOP: refused += 1
        case let other?: throw SystemError(code: other, call: "open")
        }
    }
}
