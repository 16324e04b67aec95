// The first declarations of SystemCrypto stand here until its files do.
