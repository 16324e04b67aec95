/// The version of this build.
enum Version {
    static let description = "0.1.0"
}
