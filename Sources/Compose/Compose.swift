// The first declarations of Compose stand here until its files do.
