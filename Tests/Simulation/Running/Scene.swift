/// What happens in a world during one life.
protocol Scene: AnyObject {
    /// Makes what every life of this kind begins with, in an empty folder.
    static func prepare(_ folder: String) throws

    init(_ world: World, _ disk: Disk)

    /// - Returns: What must not be; empty as it should be.
    func run() throws -> [String]
}

/// The kinds of lives by their names.
enum SceneKind: String, CaseIterable {
    case store, downloads

    var type: any Scene.Type {
        switch self {
        case .store: StoreScene.self
        case .downloads: DownloadScene.self
        }
    }
}
