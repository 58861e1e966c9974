#include "daemon/cli/completion_scripts.hpp"

namespace plexus::cli {

namespace {

// The paths and parameters come from the running hub; without one there is simply nothing to offer.
constexpr auto bash = R"script(# bash completion of plexusctl
_plexusctl_ask() { plexusctl --timeout 2 "${_plexusctl_where[@]}" __complete "$@" 2>/dev/null; }

_plexusctl() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= method= word i
    local -a _plexusctl_where=()
    COMPREPLY=()
    case $previous in
        --socket) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        --state-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
        --timeout | --url | --token) return ;;
    esac
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        case $word in
            --socket | --url | --state-dir | --token) _plexusctl_where+=("$word" "${COMP_WORDS[++i]}") ;;
            --timeout) ((++i)) ;;
            -*) ;;
            *) if [[ -z $command ]]; then command=$word; elif [[ -z $method ]]; then method=$word; fi ;;
        esac
    done
    local offered=
    case $command in
        '') offered='@COMMANDS@ @OPTIONS@' ;;
        completion) [[ -z $method ]] && offered='bash zsh fish' ;;
        call)
            if [[ -z $method && $current != -* ]]; then
                offered=$(_plexusctl_ask)
            elif [[ $current == -* ]]; then
                offered='@OPTIONS@'
                [[ -n $method ]] && offered="$(_plexusctl_ask "$method") $offered"
            fi ;;
        schema | tree)
            if [[ $current == -* ]]; then
                offered='@OPTIONS@'
                [[ $command == tree ]] && offered+=' --verbose'
            elif [[ -z $method ]]; then
                offered=$(_plexusctl_ask)
            fi ;;
        *) offered='@OPTIONS@' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$current")
}
complete -F _plexusctl plexusctl
)script";

constexpr auto zsh = R"script(#compdef plexusctl
_plexusctl_ask() { plexusctl --timeout 2 $where __complete "$@" 2>/dev/null }

_plexusctl() {
    local command method word i
    local -a where offered
    case $words[CURRENT-1] in
        --socket) _files; return ;;
        --state-dir) _files -/; return ;;
        --timeout|--url|--token) return ;;
    esac
    for ((i = 2; i < CURRENT; ++i)); do
        word=$words[i]
        case $word in
            --socket|--url|--state-dir|--token) where+=($word $words[++i]) ;;
            --timeout) ((++i)) ;;
            -*) ;;
            *) if [[ -z $command ]]; then command=$word; elif [[ -z $method ]]; then method=$word; fi ;;
        esac
    done
    case $command in
        '') offered=(@COMMANDS@ @OPTIONS@) ;;
        completion) [[ -z $method ]] && offered=(bash zsh fish) ;;
        call)
            if [[ -z $method && $words[CURRENT] != -* ]]; then
                offered=(${(f)"$(_plexusctl_ask)"})
            elif [[ $words[CURRENT] == -* ]]; then
                offered=(@OPTIONS@)
                [[ -n $method ]] && offered+=(${(f)"$(_plexusctl_ask $method)"})
            fi ;;
        schema|tree)
            if [[ $words[CURRENT] == -* ]]; then
                offered=(@OPTIONS@)
                [[ $command == tree ]] && offered+=(--verbose)
            elif [[ -z $method ]]; then
                offered=(${(f)"$(_plexusctl_ask)"})
            fi ;;
        *) offered=(@OPTIONS@) ;;
    esac
    compadd -- $offered
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _plexusctl plexusctl
)script";

constexpr auto fish = R"script(# fish completion of plexusctl
function __plexusctl_words
    # Everything typed so far that is neither an option nor the value of one.
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
        else if contains -- $word --socket --url --state-dir --token --timeout
            set skip yes
        else if not string match -q -- '-*' $word
            echo $word
        end
    end
end

function __plexusctl_where
    set -l words (commandline -opc)
    for i in (seq 2 (count $words))
        if contains -- $words[$i] --socket --url --state-dir --token
            echo $words[$i]
            test $i -lt (count $words); and echo $words[(math $i + 1)]
        end
    end
end

function __plexusctl_ask
    plexusctl --timeout 2 (__plexusctl_where) __complete $argv 2>/dev/null
end

# __plexusctl_at N COMMAND…: N words stand there, and the first is one of these.
function __plexusctl_at
    set -l words (__plexusctl_words)
    test (count $words) -eq $argv[1]; or return 1
    test $argv[1] -eq 0; or contains -- $words[1] $argv[2..-1]
end

function __plexusctl_parameters
    set -l words (__plexusctl_words)
    test (count $words) -ge 2; and test $words[1] = call; and __plexusctl_ask $words[2]
end

complete -c plexusctl -f
complete -c plexusctl -n '__plexusctl_at 0' -a '@COMMANDS@'
complete -c plexusctl -n '__plexusctl_at 1 completion' -a 'bash zsh fish'
complete -c plexusctl -n '__plexusctl_at 1 call schema tree' -a '(__plexusctl_ask)'
complete -c plexusctl -n 'string match -q -- "-*" (commandline -ct)' -a '(__plexusctl_parameters) @OPTIONS@'
complete -c plexusctl -l socket -r -F
complete -c plexusctl -l state-dir -r -F
)script";

}  // namespace

std::string completion_script(std::string_view shell) {
    return shell == "bash" ? bash : shell == "zsh" ? zsh : fish;
}

}  // namespace plexus::cli
