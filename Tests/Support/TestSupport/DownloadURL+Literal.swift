public import Core

/// A literal stands for a text that the parser normalised.
extension DownloadURL: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self.init(normalized: text) }
}
