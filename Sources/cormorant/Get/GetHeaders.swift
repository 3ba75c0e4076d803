import ArgumentParser
import Curl
import Model

/// The header fields of a command line.
enum GetHeaders {
    /// - Parameters:
    ///   - arguments: `Name: value`, or `@file` for a file with one on each line, which the process list does not show.
    ///   - readFile: The lines of such a file.
    static func parse(
        _ arguments: [String],
        readFile: (String) throws -> [String]
    ) throws -> [RequestCredentials.Header] {
        try arguments.flatMap { argument in
            argument.hasPrefix("@") ? try readFile(String(argument.dropFirst())) : [argument]
        }.map(header)
    }

    private static func header(_ line: String) throws -> RequestCredentials.Header {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw ValidationError("--header expects 'Name: value', or @file.") }
        let field = HeaderField(String(parts[0]), parts[1].trimmed)
        guard field.isSendable else {
            throw ValidationError("--header: a field holds a character that cannot be sent.")
        }
        guard !RequestFieldRules.isReserved(field.name) else {
            throw ValidationError("--header: \(field.name) is set by cormorant itself.")
        }
        return RequestCredentials.Header(name: field.name, value: field.value)
    }
}
