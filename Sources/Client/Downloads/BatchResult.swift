/// The result of one item of a batch.
public struct BatchResult: Hashable, Sendable, Decodable {
    /// The place of the item in the batch, from 0.
    public var index: Int
    /// What `POST /downloads` would have answered: 201 for a new download, 200 for one that existed.
    public var httpStatus: Int
    /// Nil if there is a problem.
    public var download: Created?
    public var problem: Problem?

    /// The members of a created download that are read from the answer, which may have a thousand.
    public struct Created: Hashable, Sendable, Decodable {
        public var id: String
        public var state: String
        public var name: String?
    }
}
