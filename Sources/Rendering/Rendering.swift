// The first declarations of Rendering stand here until its files do.
