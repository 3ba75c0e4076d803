/// The start of an element.
struct XMLElement: Hashable {
    /// Empty for none.
    let namespace: String
    /// Without its prefix.
    let name: String
    /// By their names as they stand, prefixes and declarations of namespaces included.
    let attributes: [String: String]
}
