// The CLI itself behind the daemon, and a scripted API behind the CLI: no key, no network, no model.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Agents, wordsOf } from './lib/agents.mjs';
import { eventually } from './lib/daemon.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, 'node_modules/@anthropic-ai/claude-code-linux-x64/claude');
const missing = !existsSync(cli) && `THE REAL CLI IS NOT TESTED: ${cli} is missing (npm ci installs it on Linux x64)`;
if (missing) console.log(missing);

// What the daemon does not do yet; the tests below say what it should do.
const knownProblems = [
    'after a turn with a sub-agent',  // the runner never sees that turn end: the session stays busy
    // Now and then: a chat that comes while the idle process is being ended stays queued.
    'after hibernation',
    'after the CLI lost its own files',
];
const check = (name, run) => test(name, { skip: missing, todo: knownProblems.includes(name), timeout: 90_000 }, run);

let api, agents;
before(async () => {
    if (missing) return;
    api = spawn(process.execPath, [join(here, 'lib/fake-anthropic.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = await new Promise((resolve) => api.stdout.on('data', (bytes) => resolve(/:(\d+)/.exec(bytes)[1])));
    agents = await Agents.start({
        binary: cli,
        settings: ['idle_seconds = 1'],
        env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'made-up', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1',
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', CLAUDE_CODE_MAX_RETRIES: '1', IS_SANDBOX: '1' },
    });
});
after(async () => {
    try { await agents?.down(); } finally { api?.kill(); }
});

const tools = { allowed_tools: ['Bash', 'Write', 'Read', 'Task', 'Agent'] };
let count = 0;
async function fresh(more) {
    const name = `session-${++count}`;
    await agents.create(name, more);
    return name;
}
const scene = (name, args) => `#scn ${name}${args ? ` ${JSON.stringify(args)}` : ''}`;
async function succeeds(name, prompt) {
    const turn = await agents.turn(name, prompt);
    assert.equal(turn.status, 'complete', JSON.stringify(turn.last));
    assert.equal(turn.last.type, 'complete');
    assert.equal((await agents.session(name)).head.node_id, turn.last.new_head.node_id, 'the session stands where the turn ended');
    return turn;
}
const of = (turn, type) => turn.events.filter((e) => e.type === type);
async function said(name) { return (await agents.context(name)).map((m) => [m.role, wordsOf(m)]); }

describe('answers', () => {
    check('text comes in pieces and stands in the context', async () => {
        const name = await fresh();
        const turn = await succeeds(name, scene('text', { text: 'Hello from the scripted API.' }));
        assert.equal(turn.text, 'Hello from the scripted API.');
        assert.ok(of(turn, 'content_delta').length > 1);
        assert.deepEqual((await said(name)).at(-1), ['assistant', 'Hello from the scripted API.']);
    });
    check('thinking keeps its signature', async () => {
        const name = await fresh();
        const turn = await succeeds(name, scene('thinking', { thinking: 'Let me think.', text: 'Thought.' }));
        assert.equal(of(turn, 'thinking_delta').map((e) => e.text).join(''), 'Let me think.');
        const [, answer] = await agents.context(name);
        assert.deepEqual(answer.content.map((b) => b.type), ['thinking', 'text']);
        assert.equal(answer.content[0].signature, 'EqQBCkgIfakeSignature');
    });
    check('600 deltas all arrive, in order', async () => {
        const name = await fresh();
        const turn = await succeeds(name, scene('long', { n: 600 }));
        const expected = Array.from({ length: 600 }, (_, i) => `lorem${i} `).join('');
        assert.equal(turn.text, expected);
        assert.equal(wordsOf((await agents.context(name)).at(-1)).trim(), expected.trim());
    });
});

describe('tools', () => {
    check('a command runs and its output is told', async () => {
        const name = await fresh(tools);
        const turn = await succeeds(name, scene('bash', { cmd: 'echo from-the-tool' }));
        const [call] = of(turn, 'tool_use_end'), [result] = of(turn, 'tool_result');
        assert.equal(call.input.command, 'echo from-the-tool');
        assert.deepEqual([result.tool_use_id, result.is_error], [call.tool_use_id, false]);
        assert.match(result.output, /from-the-tool/);
        assert.deepEqual((await agents.context(name)).map((m) => m.role), ['user', 'assistant', 'user', 'assistant']);
    });
    check('three tools run side by side', async () => {
        const name = await fresh(tools);
        const turn = await succeeds(name, scene('parallel', { file: join(agents.work, 'nothing') }));
        const calls = of(turn, 'tool_use_end').map((e) => e.tool_use_id);
        assert.equal(new Set(calls).size, 3);
        assert.deepEqual(of(turn, 'tool_result').map((e) => e.tool_use_id).sort(), [...calls].sort());
        const messages = await agents.context(name);
        assert.deepEqual(messages.map((m) => m.role), ['user', 'assistant', 'user', 'assistant'], 'the results are one message');
    });
    check('a failing command is an error for the model, not for the turn', async () => {
        const turn = await succeeds(await fresh(tools), scene('toolerror'));
        const [result] = of(turn, 'tool_result');
        assert.equal(result.is_error, true);
        assert.match(result.output, /oops/);
    });
    check('a file is written', async () => {
        const file = join(agents.work, 'hello.txt');
        await succeeds(await fresh(tools), scene('write', { file, content: 'hello one\n' }));
        assert.equal(readFileSync(file, 'utf8'), 'hello one\n');
    });
    check('what a sub-agent does is told under its call and stays out of the context', async () => {
        const name = await fresh(tools);
        const turn = await succeeds(name, scene('agent', { bg: false }));
        const [call] = of(turn, 'tool_use_end').filter((e) => !e.parent_tool_use_id);
        const inner = turn.events.filter((e) => e.parent_tool_use_id);
        assert.ok(inner.some((e) => e.type === 'tool_result' && /from-subagent/.test(e.output)), inner.map((e) => e.type).join());
        assert.ok(inner.every((e) => e.parent_tool_use_id === call.tool_use_id));
        assert.ok(!(await said(name)).some(([, words]) => words.includes('echo from-subagent","description')));
    });
});

describe('turns that fail', () => {
    for (const [status, kind] of [[400, 'protocol'], [401, 'auth'], [429, 'rate_limited'], [529, 'overloaded']])
        check(`an API error ${status} is ${kind}`, async () => {
            const name = await fresh();
            const turn = await agents.turn(name, scene('http', { status }));
            assert.deepEqual([turn.status, turn.last.type, turn.last.kind, turn.last.api_status], ['failed', 'error', kind, status], JSON.stringify(turn.last));
            await succeeds(name, scene('text'));
        });
    check('a connection that breaks at every attempt is overloaded, and its text is taken back', async () => {
        const turn = await agents.turn(await fresh(), scene('cut'));
        assert.deepEqual([turn.status, turn.last.kind], ['failed', 'overloaded'], JSON.stringify(turn.last));
        assert.ok(of(turn, 'content_end').some((e) => e.abandoned));
    });
    check('an interrupted turn ends soon, and the session goes on', async () => {
        const name = await fresh();
        const stream = await agents.ask(name, scene('slow', { n: 600, delay: 50 }));
        await agents.seen(stream, 'content_delta');
        const began = Date.now();
        await agents.datum('claudecode.interrupt', { name });
        const turn = await agents.finished(stream);
        assert.ok(Date.now() - began < 5_000, 'within five seconds');
        assert.deepEqual([turn.status, turn.last.kind], ['interrupted', 'interrupted']);
        await succeeds(name, scene('text'));
    });
});

describe('a conversation goes on', () => {
    const first = '#scn text {"text":"first answer"} one';
    async function hibernates(name) {
        const { claude_session_id: id } = await agents.session(name);
        await eventually('its process is gone', () => agents.commandLines().filter((line) => line.includes(id)).length === 0 || agents.commandLines(), 10_000);
    }
    async function remembers(name) {
        const turn = await succeeds(name, scene('context'));
        assert.match(turn.text, /users=2 assistants=1 ::.*first answer/, 'the model sees the first turn');
        return turn;
    }
    check('with the same process', async () => {
        const name = await fresh();
        await succeeds(name, first);
        const running = agents.commandLines();
        const { claude_session_id } = await agents.session(name);
        await remembers(name);
        assert.deepEqual(agents.commandLines().filter((line) => line.includes(claude_session_id)), running.filter((line) => line.includes(claude_session_id)), 'the process was kept');
        assert.equal((await agents.session(name)).claude_session_id, claude_session_id);
    });
    check('after hibernation', async () => {
        const name = await fresh();
        await succeeds(name, first);
        await hibernates(name);
        await remembers(name);
    });
    check('after a turn with a sub-agent', async () => {
        const name = await fresh(tools);
        await succeeds(name, scene('agent', { bg: false }));
        const next = await agents.finished(await agents.ask(name, scene('text')), 8_000);
        assert.equal(next.status, 'complete');
    });
    check('after a restart of the daemon', async () => {
        const name = await fresh();
        await succeeds(name, first);
        await agents.restart();
        await remembers(name);
    });
    check('after the CLI lost its own files', async () => {
        const name = await fresh();
        await succeeds(name, first);
        await hibernates(name);
        rmSync(join(agents.home, '.claude/projects'), { recursive: true });
        await remembers(name);
    });
    check('in a fork, and apart from the one it came from', async () => {
        const name = await fresh();
        await succeeds(name, first);
        await agents.datum('claudecode.fork', { name, new_name: `${name}-fork` });
        await remembers(`${name}-fork`);
        assert.equal((await agents.context(name)).length, 2, 'the first session did not move');
        await remembers(name);
    });
});

describe('approvals', () => {
    const asking = async () => fresh({ loopback_enabled: true });
    async function asked(name, command) {
        const stream = await agents.ask(name, scene('bash', { cmd: command }));
        const event = await agents.seen(stream, 'awaiting_approval');
        assert.deepEqual([event.tool_name, event.input.command], ['Bash', command]);
        assert.equal((await agents.poll(stream)).status, 'awaiting_approval');
        return { stream, approval_id: event.approval_id };
    }
    check('an allowed tool runs', async () => {
        const file = join(agents.work, 'allowed.txt');
        const { stream, approval_id } = await asked(await asking(), `touch ${file}`);
        assert.ok(!existsSync(file), 'nothing runs before the decision');
        await agents.datum('loopback.respond', { approval_id, approve: true });
        assert.equal((await agents.finished(stream)).status, 'complete');
        assert.ok(existsSync(file));
    });
    check('a denied tool does not, and the model is told why', async () => {
        const file = join(agents.work, 'denied.txt');
        const { stream, approval_id } = await asked(await asking(), `touch ${file}`);
        await agents.datum('loopback.respond', { approval_id, approve: false, message: 'not on a Wednesday' });
        const turn = await agents.finished(stream);
        assert.equal(turn.status, 'complete');
        const [result] = of(turn, 'tool_result');
        assert.equal(result.is_error, true);
        assert.match(result.output, /not on a Wednesday/);
        assert.ok(!existsSync(file));
    });
});
