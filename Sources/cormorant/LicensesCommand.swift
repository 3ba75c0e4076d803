import ArgumentParser
import CDocuments
import Linux

/// `cormorant licenses`
struct LicensesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licenses",
        abstract: "Print the licences of the program and of what is linked into it."
    )

    /// `THIRD-PARTY-NOTICES.txt`, as it was when the program was built.
    static var text: String {
        let bytes = unsafe UnsafeBufferPointer(start: cormorant_notices, count: cormorant_notices_length)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    func run() throws {
        try StandardStream.output.putStyled(Self.text)
    }
}
