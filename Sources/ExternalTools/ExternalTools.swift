// The first declarations of ExternalTools stand here until its files do.
