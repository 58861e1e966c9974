// What a child is born with, and what happens when it cannot be born.
#include "schema/error.hpp"
#include "tests/process/world.hpp"

#include <sys/resource.h>

#include <fstream>

namespace plexus::tests {

namespace {

std::string refusal(World& world, const hub::Command& command) {
    try {
        world.processes.spawn(command);
    } catch (const schema::Failure& failure) {
        CHECK(failure.error().reason == "spawn_failed");
        return failure.what();
    }
    return "it started";
}

std::filesystem::path scratch() {
    auto path = std::filesystem::temp_directory_path() / ("plexus-process-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    return path;
}

}  // namespace

TEST_CASE_METHOD(World, "an exit code and a signal are told apart", "[process]") {
    run([&]() -> hub::awaitable<void> {
        const auto seven = processes.spawn(shell("exit 7"));
        const auto seven_exit = co_await seven->wait();
        CHECK(seven_exit.code == 7);
        CHECK_FALSE(seven_exit.signal);
        CHECK_FALSE(seven_exit.clean());

        const auto killed = processes.spawn(shell("kill -9 $$"));
        const auto killed_exit = co_await killed->wait();
        CHECK_FALSE(killed_exit.code);
        CHECK(killed_exit.signal == SIGKILL);

        // 143 said by the program itself is a code, not a signal.
        const auto said = processes.spawn(shell("exit 143"));
        CHECK((co_await said->wait()).code == 143);
    }());
}

TEST_CASE_METHOD(World, "a child has descriptors 0, 1 and 2 and no other", "[process]") {
    const int leaked = ::open("/dev/null", O_RDONLY);  // not close-on-exec, as a careless library would
    REQUIRE(leaked > 2);
    run([&]() -> hub::awaitable<void> {
        const auto child = processes.spawn(command({"cat"}));
        co_await child->write("up\n");
        co_await read_line(*child);
        std::set<std::string> open;
        for (const auto& entry :
             std::filesystem::directory_iterator("/proc/" + std::to_string(child->pid()) + "/fd")) {
            open.insert(entry.path().filename());
        }
        CHECK(open == std::set<std::string>{"0", "1", "2"});
    }());
    ::close(leaked);
}

TEST_CASE_METHOD(World, "a child starts with default signals, its own group, no core and no new privileges",
                 "[process]") {
    ::signal(SIGUSR1, SIG_IGN);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
    run([&]() -> hub::awaitable<void> {
        auto wanted = command(
            {"/bin/sh", "-c", "cat /proc/self/status; ulimit -c; ulimit -n; exec cat /proc/self/stat"});
        wanted.limits.open_files = 123;
        const auto child = processes.spawn(wanted);
        const auto text = (co_await finish(*child)).text;
        CHECK(text.find("SigIgn:\t0000000000000000") != text.npos);
        CHECK(text.find("SigBlk:\t0000000000000000") != text.npos);
        CHECK(text.find("NoNewPrivs:\t1") != text.npos);
        CHECK(text.find("\n0\n123\n") != text.npos);
        const auto stat = process::parse_stat(text.substr(text.rfind("\n0\n123\n") + 7));
        REQUIRE(stat);
        CHECK(stat->pid == child->pid());
        CHECK(stat->group == child->pid());
    }());
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::signal(SIGUSR1, SIG_DFL);
}

TEST_CASE_METHOD(World, "a child sees the environment it is given and the mark of its tree, nothing of ours",
                 "[process]") {
    ::setenv("AWS_SECRET_ACCESS_KEY", "canary", 1);
    run([&]() -> hub::awaitable<void> {
        auto wanted = command({"env"});
        wanted.environment["GIVEN"] = "a b=c";
        const auto child = processes.spawn(wanted);
        const auto output = co_await finish(*child);
        CHECK(output.text == "GIVEN=a b=c\nPATH=/usr/bin:/bin\nAGENT_TREE=" + child->record().tree + "\n");
    }());
}

TEST_CASE_METHOD(World, "a child starts in its directory, and only under an allowed root", "[process]") {
    const auto folder = scratch();
    std::filesystem::create_directories(folder / "root" / "inside");
    std::filesystem::create_directories(folder / "root-next-door");
    std::filesystem::remove(folder / "root" / "escape");
    std::filesystem::create_symlink(folder / "root-next-door", folder / "root" / "escape");
    auto wanted = command({"pwd"});
    wanted.roots = {(folder / "root").string()};
    for (const auto* name : {"root", "root/inside"}) {
        wanted.directory = folder / name;
        run([&]() -> hub::awaitable<void> {
            const auto child = processes.spawn(wanted);
            CHECK((co_await finish(*child)).text == wanted.directory + "\n");
        }());
    }
    for (const auto* name : {"root-next-door", "root/escape", "root/..", "."}) {
        wanted.directory = folder / name;
        CHECK_THAT(refusal(*this, wanted), Catch::Contains("lies outside the allowed roots"));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE_METHOD(World, "a process that cannot start says why, and leaves nothing open", "[process]") {
    const auto folder = scratch();
    std::ofstream(folder / "plain") << "text";
    std::ofstream(folder / "script") << "#!/no/such/interpreter\n";
    std::ofstream(folder / "noise") << "\x01\x02\x03";
    for (const auto* name : {"script", "noise"}) {
        std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    }
    const auto before = open_descriptors();

    auto lost = command({"true"});
    lost.directory = folder / "gone";
    auto in_file = command({"true"});
    in_file.directory = folder / "plain";
    auto unreachable = command({"plain"});
    unreachable.environment["PATH"] = folder;

    const auto [wanted, sentence] = GENERATE_COPY(table<hub::Command, std::string>({
        {command({"no-such-program"}), "'no-such-program' was not found in PATH (/usr/bin:/bin)"},
        {command({"/no/such/program"}), "no such file"},
        {command({folder / "plain"}), "it is not executable (Permission denied)"},
        {unreachable, "'plain' in PATH is not executable"},
        {command({folder / "script"}), "the interpreter its first line names is missing"},
        {command({folder / "noise"}), "it is not a program this machine can run (Exec format error)"},
        {command({"/bin/true", std::string(200'000, 'x')}), "too long (largest argument: 200000 bytes)"},
        {command({"/bin/true", std::string("a\0b", 3)}), "an argument holds a NUL byte"},
        {command({}), "no program was named"},
        {lost, "/gone' does not exist"},
        {in_file, "/plain' is not a directory"},
    }));
    CHECK_THAT(refusal(*this, wanted), Catch::Contains(sentence));
    CHECK(open_descriptors() == before);
    CHECK(process::children(::getpid()).empty());
    std::filesystem::remove_all(folder);
}

// As an ordinary user with no process left to spend: root is not bound by that limit.
TEST_CASE("a full process table is an error that may pass", "[process]") {
    const auto helper = ::fork();
    if (helper == 0) {
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_NPROC, &none);
        if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
        boost::asio::io_context loop(1);
        auto* processes = new process::LinuxProcesses(loop.get_executor());  // never destroyed: we _exit
        try {
            processes->spawn(command({"/bin/true"}));
        } catch (const schema::Failure& failure) {
            const auto told = std::string_view(failure.what()).find("may not have more processes");
            ::_exit(failure.error().recoverable && told != std::string_view::npos ? 0 : 3);
        }
        ::_exit(4);
    }
    int status = 0;
    REQUIRE(::waitpid(helper, &status, 0) == helper);
    CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace plexus::tests
