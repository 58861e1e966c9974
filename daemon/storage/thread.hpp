// A thread that no signal interrupts: signals belong to the loop, and a blocked SIGXFSZ is an error code
// from write() instead of death.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace plexus::storage {

template <class Body>
std::thread quiet_thread(Body body) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::move(body));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace plexus::storage
