import Compose
import KubernetesObjects

// Both models have types of these names; short names for both keep signatures readable.
typealias ComposeService = Compose.Service
typealias ComposeVolume = Compose.Volume
typealias ComposeMount = Compose.VolumeMount
typealias ComposeDependency = Compose.Dependency
typealias PodVolume = KubernetesObjects.Volume
typealias PodMount = KubernetesObjects.VolumeMount
typealias ClusterService = KubernetesObjects.Service
typealias ClusterServicePort = KubernetesObjects.ServicePort
