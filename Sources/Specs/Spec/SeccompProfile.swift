/// The spec's `security.seccomp`: which system calls containers may make.
package enum SeccompProfile: String, Hashable, Sendable, CaseIterable {
    /// Those that the container runtime's own profile allows.
    case runtimeDefault = "runtime-default"
    /// All.
    case unconfined
}
