/* Swift's Glibc module is built without _GNU_SOURCE and so lacks what is Linux's own. */

/* Writes out everything of the file system that holds an open file: syncfs(2). */
int syncfs(int descriptor);

/* A descriptor that can be read once a process has ended: pidfd_open(2), for which the C library has a function since glibc 2.36 only. */
long syscall(long number, ...);
static inline int so_pidfd_open(int process) { return (int)syscall(434, process, 0); }

/* The making of a terminal: posix_openpt(3), grantpt(3), unlockpt(3), ptsname_r(3). */
int posix_openpt(int flags);
int grantpt(int descriptor);
int unlockpt(int descriptor);
int ptsname_r(int descriptor, char *name, unsigned long length);

/* Changes in a directory: inotify(7), whose header Glibc's module leaves out. */
int inotify_init1(int flags);
int inotify_add_watch(int descriptor, const char *path, unsigned int mask);
enum { SO_IN_CLOSE_WRITE = 0x8, SO_IN_MOVED_TO = 0x80, SO_IN_DELETE_SELF = 0x400 };
