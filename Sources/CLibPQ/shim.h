// libpq's own declarations, and a way to have its functions only where they are needed: linked, it and the dozen libraries behind it
// would be loaded at each start of every command, and would have to be installed where no PostgreSQL is used.
#include <dlfcn.h>
#include <stddef.h>

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif

#define LIBPQ_FUNCTIONS(FUNCTION) \
    FUNCTION(PQclear) \
    FUNCTION(PQconnectdbParams) \
    FUNCTION(PQconsumeInput) \
    FUNCTION(PQenterPipelineMode) \
    FUNCTION(PQerrorMessage) \
    FUNCTION(PQexecParams) \
    FUNCTION(PQexitPipelineMode) \
    FUNCTION(PQfinish) \
    FUNCTION(PQfname) \
    FUNCTION(PQfreemem) \
    FUNCTION(PQftype) \
    FUNCTION(PQgetResult) \
    FUNCTION(PQgetisnull) \
    FUNCTION(PQgetvalue) \
    FUNCTION(PQnfields) \
    FUNCTION(PQnotifies) \
    FUNCTION(PQntuples) \
    FUNCTION(PQpipelineSync) \
    FUNCTION(PQresultErrorField) \
    FUNCTION(PQresultStatus) \
    FUNCTION(PQsendQueryParams) \
    FUNCTION(PQsetNoticeProcessor) \
    FUNCTION(PQsocket) \
    FUNCTION(PQstatus) \
    FUNCTION(PQunescapeBytea)

/// The functions of libpq, each with the type that its header gives it.
struct libpq_functions {
#define LIBPQ_MEMBER(name) __typeof__(name) *_Nonnull name;
    LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
};

/// Loads libpq and finds all of its functions. Returns null where that succeeds, else the reason, which the next call of dlerror ends.
static inline const char *_Nullable libpq_load(struct libpq_functions *_Nonnull functions) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return dlerror();
#define LIBPQ_LOAD(name) \
    functions->name = (__typeof__(name) *)dlsym(library, #name); \
    if (functions->name == NULL) return dlerror();
    LIBPQ_FUNCTIONS(LIBPQ_LOAD)
#undef LIBPQ_LOAD
    return NULL;
}
