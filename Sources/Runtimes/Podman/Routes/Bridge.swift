import ExternalTools
import Glibc

/// The host's side of a podman network.
enum Bridge {
    /// Gives a network's bridge the hardware address that it has, for good.
    ///
    /// The kernel gives a bridge the lowest address among its members, so that it changes as pods come and go. Whoever knows the old one then
    /// reaches neither the network's name server nor the world, for half a minute. Debian 12's netavark leaves it at that. Only root may hint
    /// it; where it fails, all is as it was.
    static func pinAddress(_ network: PodmanNetworkRecord) {
        guard let interface = network.network_interface, geteuid() == 0 else { return }
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var request = ifreq()
        withUnsafeMutableBytes(of: &request.ifr_ifrn.ifrn_name) { $0.copyBytes(from: interface.utf8.prefix(15)) }
        guard ioctl(descriptor, UInt(SIOCGIFHWADDR), &request) == 0 else { return }
        _ = ioctl(descriptor, UInt(SIOCSIFHWADDR), &request)
    }
}
