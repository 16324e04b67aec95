// The first declarations of Stacks stand here until its files do.
