// How the turns of every recording must end, in order: what the situation calls for, one line a case.
// The second column is for the newer CLI where it differs.
#pragma once

#include <string_view>

namespace plexus::tests {

struct ExpectedOutcome {
    std::string_view name;
    std::string_view older;
    std::string_view newer = older;
};

// clang-format off
inline constexpr ExpectedOutcome outcome_table[] = {
    {"await-claim", "complete"},
    {"await-initialize", "spawn", "complete"},  // the older CLI does not know the flag
    {"basic-json", "complete"},
    {"basic-json-verbose", "protocol"},  // one JSON array instead of lines: not the protocol
    {"basic-plaintext", "protocol"},  // plain text instead of lines: not the protocol
    {"basic-text", "complete"},
    {"basic-text-partial", "complete"},
    {"big-tool-result", "complete"},
    {"ctl-catalog", "complete"},
    {"ctl-end-session", "complete"},
    {"ctl-hooks", "complete"},
    {"ctl-initialize-systemprompt", "complete"},
    {"ctl-interrupt-before-first-token", "interrupted"},
    {"ctl-interrupt-cancel-queued", "interrupted complete", "interrupted"},  // only the newer CLI drops the queued prompt too
    {"ctl-interrupt-idle", "complete complete"},
    {"ctl-interrupt-midstream", "interrupted complete"},
    {"ctl-interrupt-midtool", "interrupted complete"},
    {"ctl-interrupt-thinking", "interrupted complete"},
    {"ctl-set-model-midturn", "complete"},
    {"ctl-set-model-next-turn", "complete complete"},
    {"cut-midstream-always", "overloaded"},  // the stream is cut at every attempt
    {"cut-midstream-end-once", "complete"},
    {"cut-midstream-once", "complete"},
    {"daemon-full", "complete complete complete complete"},
    {"daemon-full-fork", "complete"},
    {"dead-branch-by-head-pointer", "complete"},
    {"dead-branch-by-head-pointer-0", "complete complete complete"},
    {"dead-branch-by-head-pointer-1", "complete"},
    {"empty-content", "empty"},  // the model answers with nothing, twice
    {"env-nested-claudecode", "complete"},
    {"err-401", "auth"},  // killed while the CLI retried a login that cannot succeed
    {"err-413", "context_too_long"},  // the request is too large
    {"err-429-retries2", "rate_limited"},
    {"err-429-retry-after", "complete"},  // the retry succeeds
    {"err-500-retries2", "overloaded"},
    {"err-500-then-ok", "complete"},  // the retry succeeds
    {"err-529-retries2", "overloaded"},
    {"err-bad-flag", "spawn"},
    {"err-bad-model", "complete"},  // the model is unknown to the CLI, but the API serves it
    {"err-bad-session-id", "spawn"},
    {"err-connection-refused", "overloaded"},  // nobody listens where the API should be
    {"err-credit", "credit"},
    {"err-empty-prompt", "spawn"},
    {"flag-allowed-tools", "complete"},
    {"flag-append-system-prompt", "complete"},
    {"flag-bare", "complete"},
    {"flag-disallowed-tools", "complete"},
    {"flag-effort", "complete"},
    {"flag-fallback-model", "overloaded"},
    {"flag-hook-events", "complete"},
    {"flag-model", "complete"},
    {"flag-name", "complete"},
    {"flag-permission-acceptEdits", "complete"},
    {"flag-permission-bypass", "complete"},
    {"flag-permission-default-write", "complete"},
    {"flag-permission-plan", "complete"},
    {"flag-skip-as-root-no-sandbox", "spawn"},
    {"flag-system-prompt", "complete"},
    {"flag-thinking-disabled", "complete"},
    {"flag-tools-subset", "complete"},
    {"fork-then-original", "complete"},
    {"fork-then-original-0", "complete complete complete"},
    {"fork-then-original-fork", "complete"},
    {"fork-then-original-fork2", "complete"},
    {"handmade-branches2", "complete"},
    {"handmade-branches2-at", "spawn"},
    {"handmade-branches2-at-a1", "spawn"},
    {"handmade-session", "complete"},
    {"handmade-session-branches-at", "spawn"},
    {"handmade-session-minimal", "crashed", "complete"},  // the older CLI hangs on this session file and is killed
    {"interleaved-thinking-partial", "complete"},
    {"json-schema", "complete"},
    {"live-assistant-line-in", "complete"},
    {"live-client-uuid-replay", "complete complete"},
    {"live-compact", "complete complete complete complete"},
    {"live-content-array-image", "complete"},
    {"live-duplicate-uuid", "complete"},
    {"live-keep-alive", "complete"},
    {"live-malformed-line", ""},  // the CLI dies before any prompt was sent
    {"live-missing-message", "protocol"},  // the CLI dies of a bad line while a prompt waits
    {"live-priority-now", "interrupted complete"},  // the second prompt pushes the first turn aside; its result says success
    {"live-queued-during-tool", "complete"},
    {"live-should-query-false", "complete complete"},
    {"live-slash-command", "complete complete complete"},  // commands the CLI answers itself
    {"live-stdin-eof-idle", ""},  // nothing was asked
    {"live-stdin-eof-midturn", "complete"},
    {"live-unknown-type", "complete"},
    {"long-text-partial", "complete"},
    {"max-budget", "budget"},
    {"max-tokens-once-partial", "complete"},
    {"mcp-bad-config", "spawn"},
    {"mcp-http-tool-not-allowed", "complete"},
    {"mcp-server-down", "complete"},
    {"mcp-set-servers-live", "complete complete"},
    {"no-session-persistence", "complete"},
    {"pause-turn", "complete"},  // a pause is an answer
    {"perm-mcp-allow", "complete"},
    {"perm-mcp-garbage", "complete"},
    {"perm-mcp-iserror", "complete"},
    {"perm-mcp-missing-tool", "crashed"},  // dies in mid-turn
    {"perm-mcp-parallel", "complete"},
    {"perm-mcp-rewrite", "complete"},
    {"perm-mcp-server-down", "crashed"},  // dies in mid-turn
    {"perm-mcp-slow", "complete"},
    {"perm-mcp-stdin-live", "complete complete"},
    {"perm-mcp-write", "complete"},
    {"perm-stdio-allow", "complete"},
    {"perm-stdio-allow-no-updatedinput", "complete"},
    {"perm-stdio-allow-partial", "complete"},
    {"perm-stdio-always-allow", "complete complete"},
    {"perm-stdio-askuser", "complete"},
    {"perm-stdio-bad-reply", "complete"},
    {"perm-stdio-deny-interrupt", "interrupted"},  // denied with interrupt
    {"perm-stdio-error-reply", "complete"},
    {"perm-stdio-exitplan", "complete"},
    {"perm-stdio-parallel", "complete"},
    {"perm-stdio-pending-interrupt", "interrupted complete"},
    {"perm-stdio-pending-sigterm", "crashed"},
    {"perm-stdio-slow-answer", "complete"},
    {"perm-stdio-subagent", "complete"},
    {"prompt-suggestions", "complete"},
    {"redacted-thinking-partial", "complete"},
    {"refusal", "refusal"},
    {"refusal-empty", "refusal"},
    {"resume-after-sigkill", "complete"},
    {"resume-after-sigkill-0", "complete crashed"},
    {"resume-at-assistant", "complete"},
    {"resume-at-assistant-0", "complete complete complete"},
    {"resume-at-assistant-fork", "complete"},
    {"resume-at-assistant-fork-0", "complete complete complete"},
    {"resume-at-assistant-then-plain", "complete"},
    {"resume-at-dead-branch", "spawn"},
    {"resume-at-dead-branch-0", "complete complete complete"},
    {"resume-at-dead-branch-1", "complete"},
    {"resume-at-dead-branch-fork", "spawn"},
    {"resume-at-first-user", "complete"},
    {"resume-at-first-user-0", "complete complete complete"},
    {"resume-at-message-id", "spawn"},  // not a resume point
    {"resume-at-message-id-0", "complete complete complete"},
    {"resume-at-text-before-tooluse", "complete"},
    {"resume-at-text-before-tooluse-0", "complete complete complete"},
    {"resume-at-thinking", "complete"},
    {"resume-at-thinking-0", "complete complete complete"},
    {"resume-at-tooluse", "complete"},
    {"resume-at-tooluse-0", "complete complete complete"},
    {"resume-at-user", "complete"},
    {"resume-at-user-0", "complete complete complete"},
    {"resume-concurrent-0", "complete complete complete"},
    {"resume-concurrent-a", "complete"},
    {"resume-concurrent-after", "complete"},
    {"resume-concurrent-b", "complete"},
    {"resume-drops-turn", "spawn", "complete"},  // the older CLI does not know the flag
    {"resume-drops-turn-0", "complete complete complete"},
    {"resume-drops-turn-refused", "spawn"},
    {"resume-file-path", "complete"},
    {"resume-file-path-0", "complete complete complete"},
    {"resume-file-path2", "complete"},
    {"resume-file-path2-0", "complete complete complete"},
    {"resume-fork", "complete"},
    {"resume-fork-0", "complete complete complete"},
    {"resume-fork-session-id", "complete"},
    {"resume-fork-session-id-0", "complete complete complete"},
    {"resume-interrupted-env", "complete"},
    {"resume-interrupted-env-0", "crashed"},
    {"resume-session-id-without-fork", "spawn"},
    {"resume-session-id-without-fork-0", "complete complete complete"},
    {"rewind-conv-assistant", "complete"},
    {"rewind-conv-assistant-0", "complete complete complete"},
    {"rewind-conv-lastseen", "complete"},
    {"rewind-conv-lastseen-0", "complete complete complete"},
    {"rewind-conversation", "complete complete complete complete"},
    {"rewind-conversation-assistant-target", "complete complete complete"},
    {"rewind-conversation-running", "complete interrupted complete"},
    {"rewind-conversation-then-resume-1", "complete complete"},
    {"rewind-conversation-then-resume-2", "complete"},
    {"rewind-files-after-resume", "complete"},
    {"rewind-files-after-resume-0", "complete"},
    {"rewind-files-control", "complete complete complete"},
    {"rewind-files-flag", ""},  // no conversation
    {"rewind-files-flag-0", "complete complete"},
    {"rewind-files-flag-json", ""},  // no conversation
    {"rewind-files-flag-noenv", ""},  // no conversation
    {"rewind-files-flag-noprompt", ""},  // no conversation
    {"rewind-files-fork", "complete"},
    {"rewind-files-fork-0", "complete"},
    {"rewind-files-no-checkpointing", "complete"},
    {"server-tool-partial", "complete"},
    {"session-id-fresh", "complete"},
    {"session-mirror", "complete"},
    {"session-state-events", "complete"},
    {"sig-int-idle", "complete"},
    {"sig-int-midstream", "interrupted"},  // SIGINT ends the turn in order
    {"sig-term-idle", "complete"},  // the turn was over
    {"sig-term-midstream", "crashed"},
    {"sig-term-midtool", "crashed"},
    {"slow-text-partial", "complete"},
    {"sse-error-midstream-always", "complete"},  // the request without a stream succeeds
    {"sse-error-midstream-once", "complete"},
    {"startup-marks", "complete"},
    {"stdout-closed", "crashed"},  // killed in mid-turn
    {"stop-sequence", "complete"},
    {"stream-input-with-argv-prompt", ""},  // the prompt on the command line is ignored: nothing was asked
    {"subagent", "complete"},
    {"subagent-background", "complete complete"},  // its end begins a second turn
    {"subagent-default-bg", "complete", "complete complete"},  // in the background by default in the newer CLI: its end begins a second turn
    {"subagent-error", "complete"},  // the sub-agent fails, the turn does not
    {"subagent-forward-text", "spawn", "complete"},  // the older CLI does not know the flag
    {"subagent-interrupt", "interrupted complete"},
    {"subagent-live-background", "complete complete"},  // its end begins a second turn
    {"subagent-nested", "complete"},
    {"subagent-partial", "complete"},
    {"subagent-two-parallel", "complete"},
    {"subagent-two-parallel-nopartial", "complete"},
    {"text-input-stdin", "complete"},
    {"thinking", "complete"},
    {"thinking-partial", "complete"},
    {"tool-bad-json-partial", "complete"},
    {"tool-bash-background", "complete complete"},  // its end begins a second turn
    {"tool-bash-denied-headless", "complete"},
    {"tool-bash-partial", "complete"},
    {"tool-edit-partial", "complete"},
    {"tool-error", "complete"},
    {"tool-loop", "complete"},
    {"tool-parallel-partial", "complete"},
    {"tool-read-missing", "complete"},
    {"tool-result-before-message-stop", "complete"},
    {"tool-unknown", "complete"},
    {"tool-write", "complete"},
    {"turn-duration-long-tool", "complete"},
    {"two-sessions-one-config-1", "complete"},
    {"two-sessions-one-config-2", "complete"},
    {"two-sessions-one-config-3", "complete"},
    {"unicode", "complete"},
    {"unknown-block-partial", "complete"},
};
// clang-format on

}  // namespace plexus::tests
