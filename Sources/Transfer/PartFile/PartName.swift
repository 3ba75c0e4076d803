public import Core

/// The name of a part file: `<download>.g<generation>.part`.
public struct PartName: Hashable, Sendable {
    public let id: DownloadID
    public let generation: Int

    public init(id: DownloadID, generation: Int) {
        self.id = id
        self.generation = generation
    }

    public var text: String { "\(id).g\(generation).part" }

    /// Parses a part file's name; nil for any other name.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "part", parts[1].first == "g" else { return nil }
        guard let id = DownloadID(String(parts[0])), let generation = Int(parts[1].dropFirst()) else { return nil }
        self.init(id: id, generation: generation)
    }
}
