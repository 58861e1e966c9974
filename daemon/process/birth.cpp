#include "daemon/process/birth.hpp"

#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#ifdef __clang__
#define PLEXUS_UNINSTRUMENTED [[clang::disable_sanitizer_instrumentation]]
#else
#define PLEXUS_UNINSTRUMENTED
#endif

namespace plexus::process {

namespace {

PLEXUS_UNINSTRUMENTED long fail_at(Birth& birth, const char* step) {
    birth.error = errno;
    birth.step = step;
    return ::syscall(SYS_exit_group, 127);
}

PLEXUS_UNINSTRUMENTED void default_signals() {
    struct {
        void* handler = nullptr;
        unsigned long flags = 0;
        void* restorer = nullptr;
        unsigned long mask = 0;
    } by_default;  // the kernel's own sigaction, not libc's
    for (int number = 1; number <= 64; ++number) {
        ::syscall(SYS_rt_sigaction, number, &by_default, nullptr, sizeof(by_default.mask));
    }
    ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &by_default.mask, nullptr, sizeof(by_default.mask));
}

}  // namespace

PLEXUS_UNINSTRUMENTED int become_program(void* given) {
    auto& birth = *static_cast<Birth*>(given);
    ::syscall(SYS_setpgid, 0, 0);
    ::syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (::syscall(SYS_getppid) != birth.parent)
        ::syscall(SYS_exit_group, 127);  // we died before the line above
    // Its orphans stay below it as long as it lives (the setting survives exec). So whatever is handed to us
    // comes from a child that is gone, and no tree can be mistaken for another's.
    ::syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail_at(birth, "no_new_privs");
    for (std::size_t i = 0; i < birth.limit_count; ++i) {
        auto& limit = birth.limits[i];
        if (::syscall(SYS_prlimit64, 0, limit.resource, &limit.value, nullptr)) fail_at(birth, "setrlimit");
    }
    if (::syscall(SYS_fchdir, birth.directory)) fail_at(birth, "chdir");
    for (int i = 0; i < 3; ++i) {
        if (::syscall(SYS_dup3, birth.standard[static_cast<std::size_t>(i)], i, 0) < 0) fail_at(birth, "dup");
    }
    if (::syscall(SYS_close_range, 3U, ~0U, 0U)) fail_at(birth, "close_range");
    default_signals();
    ::syscall(SYS_execve, birth.program, birth.argv, birth.envp);
    return static_cast<int>(fail_at(birth, "exec"));
}

}  // namespace plexus::process
