// The first declarations of KubernetesObjects stand here until its files do.
