public import Model

/// How whoever gives links is spoken to. Composition brings it together: what is sent is JSON, and is signed as
/// webhooks are.
public struct LinkForm: Sendable {
    /// Makes the document of a question.
    public typealias Encoder = @Sendable (LinkQuestion) -> [UInt8]
    /// Finds the link in a document that answers; nil where it has none.
    public typealias Decoder = @Sendable ([UInt8]) -> String?
    /// The fields that sign a body, given its id and the time in whole seconds since the epoch.
    public typealias Signer =
        @Sendable (_ id: String, _ timestamp: Int64, _ body: [UInt8]) -> [(name: String, value: String)]

    let encode: Encoder
    let decode: Decoder
    let sign: Signer

    public init(encode: @escaping Encoder, decode: @escaping Decoder, sign: @escaping Signer) {
        self.encode = encode
        self.decode = decode
        self.sign = sign
    }
}
