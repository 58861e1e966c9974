// Sessions, chats, streams and approvals over the wire, with an agent that does as it is told (tests/fake_agent).
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Agents, wordsOf } from './lib/agents.mjs';
import { eventually, freshStateDir, sleep } from './lib/daemon.mjs';
import { hub } from './lib/wire.mjs';

// What the daemon does not do yet; the tests below say what it should do.
const knownProblems = [
    // A chat is followed before its chain exists: "There is no stream".
    'stream their events over the socket, then end',
    'a failed turn ends its stream as an error, told once',
    'by path: claudecode.<name>.chat',
    'by path: claudecode.<id>.chat',
    'by path: claudecode.session.<id>.chat',
    'or stop with it, when that was asked for',
    // The child and its parent both tell it.
    'an error of a child is told once',
    // `busy: interrupt` stops the newest chat; a waiting chat's end takes the running agent with it.
    'an interrupting chat stops the running one, not one that waits',
    'can be cancelled while they wait',
    'cancel by session stops the one that runs',
    // The runner does not look at its queue again after it ended the idle process.
    'a chat that comes while the idle process is being ended runs',
    // It is called `name` there.
    'a bad new name is blamed on new_name',
];
const check = (name, run) => test(name, { todo: knownProblems.includes(name), timeout: 60_000 }, run);

let agents, log;
before(async () => {
    log = join(freshStateDir(), 'agent.log');
    agents = await Agents.start({ env: { FAKE_AGENT_LOG: log } });
});
after(() => agents.down());

let count = 0;
async function fresh(more) {
    const name = `s${++count}.`;  // the dot ends it: no name begins another
    const { id } = await agents.create(name, more);
    return { name, id };
}
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const nobody = '01a1ee1c-9b29-7002-89f7-e7178cd2b96c';
const said = async (name) => (await agents.context(name)).map(wordsOf);
const order = (name, args) => `#fake ${name}${args ? ` ${JSON.stringify(args)}` : ''}`;
const contents = (items) => items.filter((i) => i.type === 'data').map((i) => i.content);

describe('sessions', () => {
    check('are created, found, listed, renamed and deleted', async () => {
        const { name, id } = await fresh({ metadata: { mine: [1] }, system_prompt: 'Be brief.' });
        assert.match(id, uuid);
        const config = await agents.session(name);
        assert.deepEqual([config.id, config.name, config.model, config.working_dir, config.metadata, config.system_prompt, config.claude_session_id],
            [id, name, 'sonnet', agents.work, { mine: [1] }, 'Be brief.', null]);
        const { sessions } = await agents.datum('claudecode.list');
        assert.equal(sessions.filter((s) => s.id === id).length, 1);
        assert.equal((await agents.datum('claudecode.rename', { name, new_name: 'renamed' })).type, 'renamed');
        assert.equal((await agents.session('renamed')).id, id);
        assert.equal((await agents.failure('claudecode.get', { name })).reason, 'not_found');
        assert.deepEqual(await agents.datum('claudecode.delete', { name: 'renamed' }), { type: 'deleted', id });
        assert.equal((await agents.failure('claudecode.get', { name: id })).reason, 'not_found');
    });
    check('are found by a prefix that only one has', async () => {
        await agents.create('prefix-alpha');
        await agents.create('prefix-beta');
        await agents.create('prefix-%');
        assert.equal((await agents.session('prefix-a')).name, 'prefix-alpha');
        assert.equal((await agents.session('prefix-%')).name, 'prefix-%');
        const ambiguous = await agents.failure('claudecode.get', { name: 'prefix-' });
        assert.equal(ambiguous.reason, 'ambiguous_name');
        assert.match(ambiguous.message, /prefix-alpha, prefix-beta/);
        assert.equal((await agents.failure('claudecode.get', { name: '' })).reason, 'not_found');
        assert.equal((await agents.failure('claudecode.create', { name: 'prefix-beta', working_dir: agents.work, model: 'opus' })).reason, 'already_exists');
    });
    check('a failure is told as a datum and as the end', async () => {
        const items = await agents.client.call('claudecode.get', { name: 'nobody' });
        assert.deepEqual(items.map((i) => i.type), ['data', 'error']);
        assert.deepEqual([items[0].content.type, items[0].content.message], ['error', items[1].message]);
    });
    check('what is wrong is named', async () => {
        const outside = freshStateDir();
        symlinkSync(outside, join(agents.work, 'out'));
        const wrong = [['working_dir', 'relative'], ['working_dir', join(agents.work, 'missing')], ['working_dir', outside], ['working_dir', '/'],
            ['working_dir', join(agents.work, 'out')], ['working_dir', join(agents.work, '..')], ['working_dir', 7], ['model', ''], ['model', '--help'], ['model', 'a b'], ['model', 'x\n--y'],
            ['name', ''], ['name', 'a\u0000b'], ['name', 'x'.repeat(201)], ['permission_mode', 'everything'], ['allowed_tools', ['--help']], ['disallowed_tools', ['']], ['max_turns', -1]];
        for (const [field, value] of wrong) {
            const error = await agents.failure('claudecode.create', { name: 'wrong', working_dir: agents.work, model: 'sonnet', [field]: value });
            assert.equal(error.code, '-32602', `${field} ${JSON.stringify(value)}: ${error.message}`);
            assert.ok(error.message.includes(field), `${JSON.stringify(value)} is blamed on ${field}: ${error.message}`);
        }
        assert.equal((await agents.failure('claudecode.get', { name: 'wrong' })).reason, 'not_found', 'nothing was created');
        const { name } = await fresh();
        for (const prompt of ['', [], {}, 7, null, [{}], ['text']]) {
            const error = await agents.failure('claudecode.chat_async', { name, prompt });
            assert.ok(error.code === '-32602' && error.message.includes('prompt'), `${JSON.stringify(prompt)}: ${error.message}`);
        }
    });
    check('a bad new name is blamed on new_name', async () => {
        const { name } = await fresh();
        for (const method of ['rename', 'fork'])
            assert.match((await agents.failure(`claudecode.${method}`, { name, new_name: '' })).message, /new_name/, method);
    });
    check('nothing a caller says becomes an argument of its own', async () => {
        const evil = ['--dangerously-skip-permissions', '-p', '--', '--mcp-config=/etc/passwd', '$(touch pwned)', '; touch pwned', '`id`', '--model\n--add-dir=/', "' || true", '--resume=x'];
        for (const text of evil) {
            const name = `evil ${text.replace(/\n/g, ' ')}`;
            await agents.create(name, { system_prompt: text, append_system_prompt: text, metadata: text, loopback_session_id: text });
            assert.equal((await agents.turn(name, text)).text, `You said: ${text}`);
        }
        const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter((line) => line.argv);
        assert.ok(lines.length >= evil.length);
        for (const { argv, cwd } of lines) {
            assert.equal(cwd, agents.work);
            for (const text of evil.filter((t) => t !== '-p'))
                assert.ok(!argv.some((word) => word.includes(text) && !(text === '--' && word.startsWith('--'))), `${text} in ${argv}`);
            assert.equal(argv.filter((word) => word === '-p').length, 1);
        }
        assert.ok(!existsSync(join(agents.work, 'pwned')));
    });
    check('a fork goes on from the same place, or from an earlier message', async () => {
        const { name } = await fresh();
        const one = await agents.turn(name, 'one');
        await agents.turn(name, 'two');
        await agents.datum('claudecode.fork', { name, new_name: `f${name}` });
        assert.equal((await agents.turn(`f${name}`, 'three')).status, 'complete');
        assert.deepEqual(await said(`f${name}`), ['one', 'You said: one', 'two', 'You said: two', 'three', 'You said: three']);
        assert.equal((await agents.context(name)).length, 4);
        await agents.datum('claudecode.fork', { name, new_name: `g${name}`, node_id: one.last.new_head.node_id });
        await agents.turn(`g${name}`, 'other');
        assert.deepEqual(await said(`g${name}`), ['one', 'You said: one', 'other', 'You said: other']);
        const { branches } = await agents.datum('claudecode.list_branches', { name, node_id: one.last.new_head.node_id });
        assert.deepEqual(branches.map((b) => b.sessions), [[name], [`g${name}`]]);
        const error = await agents.failure('claudecode.fork', { name, new_name: `h${name}`, node_id: one.events[0].turn_position.node_id });
        assert.equal(error.reason, 'conflict', 'a turn is no message');
    });
    check('the head can be set back, and the agent forgets what came after', async () => {
        const { name } = await fresh();
        const one = await agents.turn(name, 'one');
        const two = await agents.turn(name, 'two');
        const moved = await agents.datum('claudecode.set_head', { name, node_id: one.last.new_head.node_id });
        assert.deepEqual([moved.old_head, moved.new_head], [two.last.new_head, one.last.new_head]);
        await agents.turn(name, 'three');
        assert.deepEqual(await said(name), ['one', 'You said: one', 'three', 'You said: three']);
        const { branches } = await agents.datum('claudecode.list_branches', { name, node_id: one.last.new_head.node_id });
        assert.equal(branches.length, 2);
        assert.equal((await agents.failure('claudecode.set_head', { name, node_id: nobody })).reason, 'not_found');
    });
    check('the conversation, its blocks and its tree can be read', async () => {
        const { name } = await fresh();
        await agents.turn(name, order('tool', { tool: 'Bash', input: { command: 'ls' }, output: 'a file' }));
        const messages = contents(await agents.client.call('claudecode.get_conversation', { name }));
        const end = messages.pop();
        assert.deepEqual([end.type, end.messages], ['end', messages.length]);
        assert.equal(messages[0].role, 'user');
        assert.ok(messages.some((m) => m.content.some((b) => b.type === 'tool_use' && b.input.command === 'ls')));
        const { tree_id, head } = await agents.datum('claudecode.get_tree', { name });
        const { node } = await agents.datum('arbor.node_get', { tree_id, node_id: head });
        assert.equal(node.data.handle.method, 'message');
        const block = (await agents.datum('arbor.node_get', { tree_id, node_id: node.children[0] })).node.data.handle;
        const blob = await agents.datum('claudecode.get_block', { blob_id: block.meta[0] });
        assert.deepEqual([blob.type, blob.blob_type, blob.node_id, blob.data.type], ['block', block.method, node.children[0], 'text']);
        for (const handle of [block, `${block.plugin_id}@${block.version}::${block.method}:${block.meta.join(':')}`])
            assert.deepEqual(await agents.datum(`${hub}.resolve_handle`, { handle }), blob.data);
        assert.equal((await agents.failure('claudecode.get_block', { blob_id: nobody })).reason, 'not_found');
        assert.equal((await agents.failure(`${hub}.resolve_handle`, { handle: { ...block, meta: [nobody] } })).reason, 'dangling_handle');
        const { render } = await agents.datum('arbor.tree_render', { tree_id });
        for (const part of ['[turn]', '[user] #fake tool', '[stream of', '[assistant]', 'Bash', 'a file']) assert.ok(render.includes(part), `${part} in\n${render}`);
    });
});

describe('chats', () => {
    check('stream their events over the socket, then end', async () => {
        const { name } = await fresh();
        const items = await agents.client.call('claudecode.chat', { name, prompt: order('deltas', { n: 50 }) });
        assert.equal(items.at(-1).type, 'done', JSON.stringify(items.at(-1)));
        const events = contents(items);
        assert.deepEqual([events[0].type, events.at(-1).type], ['start', 'complete']);
        assert.ok(events.filter((e) => e.type === 'content_delta').length >= 50);
        assert.deepEqual(events, (await agents.finished(events[0].stream_id)).events, 'the stored stream is the same');
    });
    check('a failed turn ends its stream as an error, told once', async () => {
        const { name } = await fresh();
        const items = await agents.client.call('claudecode.chat', { name, prompt: order('exit', { code: 3 }) });
        assert.deepEqual([items.at(-1).type, items.at(-1).reason], ['error', 'crashed'], JSON.stringify(items.at(-1)));
        assert.equal(contents(items).filter((e) => e.type === 'error').length, 1);
    });
    for (const path of [(s) => `claudecode.${s.name.slice(0, -1)}`, (s) => `claudecode.${s.id}`, (s) => `claudecode.session.${s.id}`])
        check(`by path: ${path({ name: '<name>.', id: '<id>' })}.chat`, async () => {
            const name = `child${++count}`;
            const { id } = await agents.create(name);
            const items = await agents.client.call(`${path({ name: `${name}.`, id })}.chat`, { prompt: 'by path' });
            assert.equal(items.at(-1).type, 'done', JSON.stringify(items.at(-1)));
            assert.deepEqual(await said(name), ['by path', 'You said: by path']);
            assert.equal((await agents.datum(`${path({ name: `${name}.`, id })}.get`)).config.id, id);
        });
    check('an error of a child is told once', async () => {
        const { id } = await fresh();
        const items = await agents.client.call(`claudecode.${id}.chat`, { prompt: '' });
        assert.deepEqual(items.map((i) => i.type), ['data', 'error']);
    });
    check('the gate finds a session and lists them all', async () => {
        const { name, id } = await fresh();
        const child = await agents.datum('claudecode.session', { name });
        assert.deepEqual([child.type, child.id, child.name], ['child', id, name]);
        assert.ok(contents(await agents.client.call('claudecode.session_ids', {})).includes(id));
    });
    check('the classic view has the old events only', async () => {
        const { name } = await fresh();
        const stream = await agents.ask(name, order('thinking', { text: 'hm' }));
        await agents.finished(stream);
        const { events } = await agents.poll(stream, { view: 'classic' });
        const types = new Set(events.map((e) => e.event.type));
        assert.deepEqual([...types], ['start', 'thinking', 'content', 'complete']);
        assert.ok(events.find((e) => e.event.type === 'thinking').event.thinking);
        assert.ok(events[0].event.user_position.node_id);
        assert.deepEqual(Object.keys(events.at(-1).event.usage).sort(), ['cost_usd', 'input_tokens', 'num_turns', 'output_tokens']);
    });
    check('an ephemeral chat knows the session and leaves it where it is', async () => {
        const { name } = await fresh();
        await agents.turn(name, 'one');
        const before = await agents.session(name);
        const turn = await agents.turn(name, order('context'), { ephemeral: true });
        assert.equal(turn.status, 'complete');
        const later = await agents.session(name);
        assert.deepEqual([later.head, later.claude_session_id], [before.head, before.claude_session_id]);
        assert.deepEqual(await said(name), ['one', 'You said: one']);
        await agents.turn(name, 'two');
        assert.deepEqual(await said(name), ['one', 'You said: one', 'two', 'You said: two']);
    });
    check('wait in line while one runs', async () => {
        const { name } = await fresh();
        const streams = [await agents.ask(name, order('wait', { ms: 400 })), await agents.ask(name, 'second'), await agents.ask(name, 'third')];
        assert.equal((await agents.poll(streams[2])).status, 'queued');
        for (const stream of streams) assert.equal((await agents.finished(stream)).status, 'complete');
        assert.deepEqual((await said(name)).slice(2), ['second', 'You said: second', 'third', 'You said: third']);
        const { streams: listed } = await agents.datum('claudecode.streams', { session_id: name });
        assert.deepEqual(listed.map((s) => s.stream_id), [...streams].reverse());
    });
    check('can be refused while one runs', async () => {
        const { name } = await fresh();
        const stream = await agents.ask(name, order('wait', { ms: 500 }));
        assert.equal((await agents.failure('claudecode.chat_async', { name, prompt: 'no', busy: 'reject' })).reason, 'session_busy');
        for (const method of ['set_head', 'delete']) {
            const error = await agents.failure(`claudecode.${method}`, { name, node_id: nobody });
            assert.equal(error.reason, 'session_busy', method);
        }
        assert.equal((await agents.finished(stream)).status, 'complete');
    });
    check('can interrupt the one that runs', async () => {
        const { name } = await fresh();
        const stream = await agents.ask(name, order('wait', { ms: 30_000 }));
        await agents.seen(stream, 'status');
        const next = await agents.turn(name, 'instead', { busy: 'interrupt' });
        assert.deepEqual([next.status, next.text], ['complete', 'You said: instead']);
        assert.equal((await agents.finished(stream)).last.kind, 'interrupted');
    });
    check('an interrupting chat stops the running one, not one that waits', async () => {
        const { name } = await fresh();
        const running = await agents.ask(name, order('wait', { ms: 20_000 }));
        await agents.seen(running, 'status');
        const waiting = await agents.ask(name, 'waiting');
        const next = await agents.ask(name, 'instead', { busy: 'interrupt' });
        assert.equal((await agents.finished(running, 8_000)).status, 'interrupted');
        for (const stream of [waiting, next]) assert.equal((await agents.finished(stream)).status, 'complete');
    });
    check('can be cancelled while they wait', async () => {
        const { name } = await fresh();
        const first = await agents.ask(name, order('wait', { ms: 6_000 }));
        await agents.seen(first, 'status');
        const second = await agents.ask(name, 'never');
        await agents.datum('claudecode.cancel', { stream_id: second });
        const cancelled = await agents.finished(second);
        assert.deepEqual([cancelled.status, cancelled.last.kind], ['cancelled', 'cancelled']);
        const kept = await agents.finished(first);
        assert.deepEqual([kept.status, kept.last.type], ['complete', 'complete'], 'the running one is left alone');
        assert.ok(!(await said(name)).includes('never'));
        assert.equal((await agents.failure('claudecode.cancel', { stream_id: second })).reason, 'conflict');
    });
    check('cancel by session stops the one that runs', async () => {
        const { name } = await fresh();
        const first = await agents.ask(name, order('wait', { ms: 6_000 }));
        await agents.seen(first, 'status');
        const second = await agents.ask(name, 'second');
        assert.equal((await agents.datum('claudecode.cancel', { name })).stream_id, first);
        assert.equal((await agents.finished(first)).status, 'cancelled');
        assert.equal((await agents.finished(second)).status, 'complete');
    });
    check('go on when the socket drops', async () => {
        const { name } = await fresh();
        const other = await agents.connect();
        await other.subscribe(`${hub}.call`, { method: 'claudecode.chat', params: { name, prompt: order('deltas', { n: 40, ms: 20 }) } });
        other.socket.terminate();
        await eventually('the chat is complete', async () => {
            const { streams } = await agents.datum('claudecode.streams', { session_id: name });
            return streams[0]?.status === 'complete' || streams;
        });
    });
    check('or stop with it, when that was asked for', async () => {
        const { name } = await fresh();
        await agents.turn(name, 'warm');
        const other = await agents.connect();
        const call = await other.subscribe(`${hub}.call`, { method: 'claudecode.chat', params: { name, prompt: order('wait', { ms: 20_000 }), on_disconnect: 'cancel' } });
        await other.items(call, 3);
        other.socket.terminate();
        await eventually('the chat is cancelled', async () => {
            const { streams } = await agents.datum('claudecode.streams', { session_id: name });
            return streams[0].status === 'cancelled' || streams[0];
        }, 8_000);
    });
});

describe('agents that fail', () => {
    const endings = [
        [order('exit', { code: 3, stderr: 'oops' }), 'failed', 'crashed', (e) => assert.deepEqual([e.exit, e.stderr_tail.trim()], [3, 'oops'])],
        [order('signal', { n: 9 }), 'failed', 'crashed', (e) => assert.equal(e.signal, 9)],
        [order('no-result'), 'failed', 'empty'],
        [order('crash-midstream'), 'failed', 'crashed', (e) => assert.equal(e.signal, 11)],
        [order('half-line'), 'failed', 'protocol'],
        [order('error', { status: 429, retries: 1 }), 'failed', 'rate_limited', (e) => assert.equal(e.api_status, 429)],
        [order('bad-utf8'), 'complete'],
        [order('garbage'), 'complete'],
        [order('long-line', { mb: 20 }), 'complete'],
        [order('ignore-term'), 'complete'],
        [order('grandchild'), 'complete'],
        [order('hang-after-result'), 'complete'],
    ];
    for (const [prompt, status, kind, more] of endings)
        check(`${prompt} ends as ${kind ?? status}, and the next chat works`, async () => {
            const { name } = await fresh();
            const turn = await agents.turn(name, prompt);
            assert.deepEqual([turn.status, turn.last.kind], [status, kind], JSON.stringify(turn.last));
            more?.(turn.last);
            const next = await agents.turn(name, 'next');
            assert.deepEqual([next.status, next.text], ['complete', 'You said: next'], JSON.stringify(next.last));
            await agents.datum('claudecode.delete', { name });
        });
    for (const how of ['hang', 'hang-midstream'])
        check(`${how} can be cancelled`, async () => {
            const { name } = await fresh();
            const stream = await agents.ask(name, order(how));
            await agents.seen(stream, 'user_message');
            await agents.datum('claudecode.cancel', { stream_id: stream });
            const turn = await agents.finished(stream);
            assert.deepEqual([turn.status, turn.last.kind], ['cancelled', 'cancelled']);
            assert.equal((await agents.turn(name, 'next')).status, 'complete');
        });
    check('a chat that comes while the idle process is being ended runs', async () => {
        const own = await Agents.start({ settings: ['idle_seconds = 1'] });
        await own.create('one');
        await own.turn('one', order('ignore-term'));  // takes seconds to end
        await sleep(2_000);
        const turn = await own.finished(await own.ask('one', 'next'), 10_000);
        assert.deepEqual([turn.status, turn.text], ['complete', 'You said: next']);
        await own.down();
    });
    check('no process of a deleted session is left', async () => {
        const own = await Agents.start();
        for (const prompt of [order('ignore-term'), order('grandchild', { deaf: true }), 'plain']) {
            await own.create('one');
            await own.turn('one', prompt);
            assert.ok(own.processes().length > 0);
            await own.datum('claudecode.delete', { name: 'one' });
            assert.deepEqual(own.processes(), []);
        }
        await own.down();
    });
});
