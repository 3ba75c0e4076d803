import Glibc
import Testing

@testable import Linux

@Suite struct SecretFileTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [
        ("word", "word"), ("word\n", "word"), ("word\r\n", "word"), ("word\n\n", "word\n"), ("", ""), ("\n", ""),
        (" word ", " word "),
    ])
    func aTrailingNewlineIsNoPartOfTheSecret(_ contents: String, _ text: String) throws {
        try folder.write(contents, to: "token")

        #expect(try SecretFile.read(path: folder.path + "/token").text == text)
    }

    @Test func aNewSecretIsForItsOwnerAlone() throws {
        try SecretFile.create("word", named: "token", in: folder.directory)

        let secret = try SecretFile.read(named: "token", in: folder.directory)
        #expect(secret.text == "word")
        #expect(!secret.isReadableByOthers)
        #expect(try folder.directory.information(of: "token").permissions == 0o600)
        #expect(try folder.directory.entries() == ["token"])
    }

    @Test func anExistingSecretIsKept() throws {
        try SecretFile.create("first", named: "token", in: folder.directory)

        let error = #expect(throws: SystemError.self) {
            try SecretFile.create("second", named: "token", in: folder.directory)
        }

        #expect(error?.isExists == true)
        #expect(try SecretFile.read(named: "token", in: folder.directory).text == "first")
        #expect(try folder.directory.entries() == ["token"])
    }

    @Test(arguments: [(0o600, false), (0o640, true), (0o604, true), (0o610, false)] as [(UInt32, Bool)])
    func aFileThatOthersMayReadIsReported(_ permissions: UInt32, _ isReadable: Bool) throws {
        try folder.write("word", to: "token")
        try folder.directory.openFile(named: "token", access: .read).setPermissions(permissions)

        #expect(try SecretFile.read(path: folder.path + "/token").isReadableByOthers == isReadable)
    }

    @Test func aLinkedSecretIsReadByPathOnly() throws {
        try folder.write("word", to: "token")
        try folder.link("link", to: "token")

        #expect(try SecretFile.read(path: folder.path + "/link").text == "word")
        #expect(
            code { () throws(SystemError) in _ = try SecretFile.read(named: "link", in: folder.directory) } == ELOOP
        )
    }

    @Test func anEndlessFileIsRefused() {
        #expect(code { () throws(SystemError) in _ = try SecretFile.read(path: "/dev/zero") } == EFBIG)
    }

    @Test func bytesThatAreNoTextAreRefused() throws {
        try folder.directory.writeDurably([0xFF, 0xFE], named: "token", replacing: false)

        #expect(code { () throws(SystemError) in _ = try SecretFile.read(path: folder.path + "/token") } == EILSEQ)
    }

    @Test func printingASecretDoesNotShowIt() throws {
        try folder.write("canary", to: "token")

        let secret = try SecretFile.read(path: folder.path + "/token")

        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!"\(secret) \(String(reflecting: secret)) \([secret]) \(dumped)".contains("canary"))
    }

    @Test func randomBytesDiffer() throws {
        #expect(try RandomBytes.make(count: 1000).count == 1000)
        #expect(try RandomBytes.make(count: 32) != RandomBytes.make(count: 32))
        #expect(try RandomBytes.hexadecimal(count: 16).utf8.count == 32)
        #expect(try RandomBytes.make(count: 0).isEmpty)
    }
}
