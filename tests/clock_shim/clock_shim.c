/* Moves the wall clock of a process by CLOCK_SHIFT_S seconds, and no other clock; preloaded, and into its children, too.

   Programs in C and Python call the functions below in place of the C library's. Programs in Go call the kernel's vDSO,
   which they find in their auxiliary vector: they get a copy of it, where the same functions stand in. A wait until a
   time of day is a wait of the kernel, which knows no moved clock: its deadline is moved back. Monotonic clocks, sleeps
   and timeouts stay as they are. Times of files are the kernel's, and stay in the real present. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

typedef long (*ask_t)(long, ...);

static time_t shift_s;

static ask_t kernel(void) {
    static ask_t found; /* the constructors of other libraries may ask before ours has run */
    if (found == NULL)
        found = (ask_t)dlsym(RTLD_NEXT, "syscall");
    return found;
}

/* The time of day. */

int clock_gettime(clockid_t clock, struct timespec *now) {
    long failed = kernel()(SYS_clock_gettime, clock, now);
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
        now->tv_sec += shift_s;
    return (int)failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    long failed = kernel()(SYS_gettimeofday, now, zone);
    if (failed == 0)
        now->tv_sec += shift_s;
    return (int)failed;
}

time_t time(time_t *now) {
    struct timespec moved;
    clock_gettime(CLOCK_REALTIME, &moved);
    if (now != NULL)
        *now = moved.tv_sec;
    return moved.tv_sec;
}

int timespec_get(struct timespec *now, int scale) {
    return scale == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? scale : 0;
}

/* Waits until a time of day. */

/* A deadline beyond thirty years counts from 1970, any other from the start of the machine. */
enum { THIRTY_YEARS_S = 946080000 };

static const struct timespec *unmoved(const struct timespec *deadline, struct timespec *room) {
    if (deadline == NULL || deadline->tv_sec < THIRTY_YEARS_S)
        return deadline;
    *room = *deadline;
    room->tv_sec -= shift_s;
    return room;
}

/* The C library's own function; on x86_64 those of conditions have a first version, for programs of the last century. */
static void *original(const char *name) {
    void *second = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return second != NULL ? second : dlsym(RTLD_NEXT, name);
}

typedef const struct timespec *restrict deadline_t;

#define WAITS_UNTIL(name, parameters, arguments)                                                                       \
    int name parameters {                                                                                              \
        struct timespec room;                                                                                          \
        int(*waits) parameters = original(#name);                                                                      \
        return waits arguments;                                                                                        \
    }

WAITS_UNTIL(sem_timedwait, (sem_t *restrict s, deadline_t until), (s, unmoved(until, &room)))
WAITS_UNTIL(sem_clockwait, (sem_t *restrict s, clockid_t c, deadline_t until), (s, c, unmoved(until, &room)))
WAITS_UNTIL(pthread_mutex_timedlock, (pthread_mutex_t *restrict m, deadline_t until), (m, unmoved(until, &room)))
WAITS_UNTIL(pthread_cond_timedwait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, deadline_t until),
            (c, m, unmoved(until, &room)))
WAITS_UNTIL(pthread_cond_clockwait,
            (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock, deadline_t until),
            (c, m, clock, unmoved(until, &room)))

/* The locks of gRPC ask the kernel without the C library. */
long syscall(long number, ...) {
    va_list rest;
    long a[6];
    struct timespec room;
    va_start(rest, number);
    for (int at = 0; at < 6; at++)
        a[at] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_clock_gettime)
        return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
    if (number == SYS_futex && (a[1] & FUTEX_CLOCK_REALTIME) != 0)
        a[3] = (long)unmoved((const struct timespec *)a[3], &room);
    return kernel()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Children. */

extern char **environ;

static char *entry(char *const variables[], const char *name) {
    for (; *variables != NULL; variables++)
        if (strncmp(*variables, name, strlen(name)) == 0)
            return *variables;
    return NULL;
}

/* A client of MCP hands few variables on to the server that it starts. Those that move the clock, and name the cache of
   that day, are added where they are missing. Nothing is allocated: this runs between fork and exec. */
int execve(const char *program, char *const arguments[], char *const variables[]) {
    static const char *const carried[] = {"LD_PRELOAD=", "CLOCK_SHIFT_S=", "XDG_CACHE_HOME="};
    size_t count = 0, names = sizeof carried / sizeof *carried;
    while (variables[count] != NULL)
        count++;
    char *all[count + names + 1];
    memcpy(all, variables, count * sizeof *all);
    for (size_t at = 0; at < names; at++)
        if (entry(variables, carried[at]) == NULL && (all[count] = entry(environ, carried[at])) != NULL)
            count++;
    all[count] = NULL;
    return (int)kernel()(SYS_execve, program, arguments, all);
}

/* Go. */

#if defined(__x86_64__)
#define OF_VDSO "__vdso_"
static const uint8_t JUMP[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov rax, address; jmp rax */
enum { ADDRESS_AT = 2 };
#elif defined(__aarch64__)
#define OF_VDSO "__kernel_"
static const uint8_t JUMP[] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6, 0, 0, 0, 0, 0, 0, 0, 0}; /* ldr x16, address; br x16 */
enum { ADDRESS_AT = 8 };
#else
#error "programs in Go have their clock moved on x86_64 and aarch64 only"
#endif

static long unknown(void) { return -ENOSYS; }

static void jump(uint8_t *function, uintptr_t to) {
    memcpy(function, JUMP, sizeof JUMP);
    memcpy(function + ADDRESS_AT, &to, sizeof to);
    __builtin___clear_cache((char *)function, (char *)function + sizeof JUMP);
}

static uint8_t *moved_vdso(const uint8_t *vdso) {
    static const struct {
        const char *name;
        uintptr_t by;
    } replaced[] = {
        {OF_VDSO "clock_gettime", (uintptr_t)clock_gettime},
        {OF_VDSO "gettimeofday", (uintptr_t)gettimeofday},
        {OF_VDSO "getrandom", (uintptr_t)unknown}, /* its data are beside the kernel's vDSO, and not beside a copy */
    };
    const ElfW(Phdr) *part = (const ElfW(Phdr) *)(vdso + ((const ElfW(Ehdr) *)vdso)->e_phoff);
    while (part->p_type != PT_LOAD)
        part++;
    uint8_t *copy = mmap(NULL, part->p_filesz, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *symbols = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (copy == MAP_FAILED || symbols == NULL)
        abort();
    memcpy(copy, vdso, part->p_filesz);
    for (size_t at = 0; at < sizeof replaced / sizeof *replaced; at++) {
        const uint8_t *function = dlsym(symbols, replaced[at].name);
        if (function != NULL)
            jump(copy + (function - vdso), replaced[at].by);
    }
    return copy;
}

__attribute__((constructor)) static void move(int argc, char **argv, char **variables) {
    (void)argc, (void)argv;
    const char *given = getenv("CLOCK_SHIFT_S");
    shift_s = given == NULL ? 0 : atol(given);
    while (*variables++ != NULL)
        ;
    for (ElfW(auxv_t) *entry = (ElfW(auxv_t) *)variables; entry->a_type != AT_NULL; entry++)
        if (entry->a_type == AT_SYSINFO_EHDR)
            entry->a_un.a_val = (uintptr_t)moved_vdso((const uint8_t *)entry->a_un.a_val);
}
