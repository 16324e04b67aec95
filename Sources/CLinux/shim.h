/* Swift's Glibc module is built without _GNU_SOURCE and so lacks what is Linux's own. */

/* Writes out everything of the file system that holds an open file: syncfs(2). */
int syncfs(int descriptor);
