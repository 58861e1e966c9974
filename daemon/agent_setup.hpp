// What the configuration says about running agents, checked against the file system: which program, which
// directories, and where its private files go. Nothing of this can be changed over the wire.
#pragma once

#include "schema/error.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace plexus {

// Absolute, or looked up in PATH. The error says where was looked.
schema::Result<std::string> find_program(const std::string& name);

// `~` is the user's home; what does not exist is left out.
std::vector<std::string> existing_roots(const std::vector<std::string>& configured);

// Throws Failure unless the directory exists and lies, all links resolved, under one of the roots.
std::string working_directory(const std::string& directory, const std::vector<std::string>& roots);

// Writes `name` in our own directory, readable by us only, and gives its path.
std::string keep_private_file(const std::filesystem::path& directory, const std::string& name,
                              const std::string& text);

}  // namespace plexus
