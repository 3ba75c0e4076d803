/// A reader of what others send, with the properties that hold for any input.
struct FuzzTarget: Sendable {
    /// The name of its folder of inputs.
    let name: String
    /// Reads an input.
    ///
    /// - Throws: ``BrokenProperty`` if a property does not hold. A trap is a finding too.
    let run: @Sendable ([UInt8]) throws -> Void

    static let all: [FuzzTarget] = [
        .fields, .contentDisposition, .fileNames, .urls, .metalink,
        .json, .requestHeads, .requestBodies, .queries, .server,
        .responseHeads, .chunks, .knownHosts, .eventStream,
        .imports, .settings, .getState, .storedRows,
    ]
}

/// A property that an input breaks.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String
}

/// - Parameter property: What holds, as a sentence.
func check(_ holds: Bool, _ property: @autoclosure () -> String) throws {
    if !holds { throw BrokenProperty(description: property()) }
}

/// Compares two values of which the second was made from the first.
func checkSame<Value: Equatable>(_ first: Value, _ second: Value?, _ property: @autoclosure () -> String) throws {
    guard first != second else { return }
    throw BrokenProperty(description: "\(property())\n  \(first)\n  \(second.map { "\($0)" } ?? "nil")")
}

extension String {
    /// Bytes as a head is read: as UTF-8, or else as Latin-1.
    init(fieldBytes bytes: some Collection<UInt8>) {
        self =
            String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    var hasControl: Bool { unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) } }
}
