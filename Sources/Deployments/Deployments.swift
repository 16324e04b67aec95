// The first declarations of Deployments stand here until its files do.
