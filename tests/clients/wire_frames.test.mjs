// JSON-RPC as it travels: upgrade, ids, batches, unsubscribing, frame-level errors, and the examples that the
// JSON-RPC 2.0 specification itself gives.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Daemon, sleep } from './lib/daemon.mjs';
import { Client, hub } from './lib/wire.mjs';
import { RawSocket, frame } from './lib/raw.mjs';

let daemon, client;
before(async () => { daemon = await Daemon.start(); client = await Client.connect(daemon); });
after(async () => { await client.close(); await daemon.stop(); });

const call = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method: `${hub}.call`, params: { method, params } });
const ping = (id) => call(id, 'echo.ping', {});
const withId = (id) => `{"jsonrpc":"2.0","method":"_info","id":${id}}`;

describe('the upgrade', () => {
    for (const path of ['/', '/any/path', '/bridge?x=1', '/ws', '//', '/%7Euser'])
        test(`is accepted on ${path}`, async () => {
            const other = await Client.connect(daemon, { path });
            assert.equal((await other.stream('_info'))[0].content.backend, hub);
            await other.close();
        });

    test('is accepted when the client offers compression', async () => {
        const other = await Client.connect(daemon, { deflate: true });
        assert.equal((await other.datum('echo.once', { message: 'x'.repeat(5000) })).message.length, 5000);
        await other.close();
    });

    test('does not echo a subprotocol nobody named', async () => {
        assert.equal(client.socket.protocol, '');
    });
});

describe('incoming frames', () => {
    test('may be binary when they hold JSON', async () => {
        assert.equal((await client.exchange(Buffer.from(withId(9001)), { binary: true })).id, 9001);
    });

    test('may be fragmented anywhere, even within a character', async () => {
        const raw = await RawSocket.connect(daemon.port);
        const bytes = Buffer.from(call(5, 'echo.once', { message: 'žluťoučký' }));
        const cut = bytes.indexOf(Buffer.from('ž')) + 1;
        raw.send(frame(bytes.subarray(0, cut), { fin: false }), frame('between', { opcode: 9 }),
            frame(bytes.subarray(cut, cut + 1), { opcode: 0, fin: false }), frame(bytes.subarray(cut + 1), { opcode: 0 }));
        assert.equal(JSON.parse(await raw.message()).id, 5);
        assert.equal(JSON.parse(await raw.message()).params.result.content.message, 'žluťoučký');
        await raw.until('the pong', () => (raw.pongs === 1 ? true : undefined));
        raw.destroy();
    });

    test('may come one byte at a time', async () => {
        const raw = await RawSocket.connect(daemon.port);
        for (const byte of frame(withId(3))) { raw.send(Buffer.from([byte])); await new Promise(setImmediate); }
        assert.equal(JSON.parse(await raw.message()).id, 3);
        raw.destroy();
    });

    test('ping is answered by pong with the same payload', async () => {
        const pong = new Promise((resolve) => client.socket.once('pong', (data) => resolve(String(data))));
        client.socket.ping('hello');
        assert.equal(await pong, 'hello');
    });
});

describe('request ids', () => {
    const echoed = ['1', '0', '-1', '"a"', '""', '9007199254740991', '-9007199254740991', `"${'x'.repeat(256)}"`,
        '"žluťoučký"', '"a\\"b\\\\c"', '"\\n"', `"${'ž'.repeat(128)}"`];
    for (const id of echoed)
        test(`${id.slice(0, 30)} comes back byte for byte`, async () => {
            const raw = await RawSocket.connect(daemon.port);
            raw.send(frame(withId(id)));
            const text = await raw.message();
            assert.match(text, /"result":\d+/);
            assert.ok(text.includes(`"id":${id},`), text);
            raw.destroy();
        });

    const refused = ['null', '1.5', '1e3', '1.0', '{}', '[]', '[1]', 'true', 'false', '9007199254740993', '1e400',
        '-9007199254740993', '18446744073709551616', `"${'x'.repeat(257)}"`, `"${'x'.repeat(1 << 20)}"`, `"${'ž'.repeat(129)}"`];
    for (const id of refused)
        test(`${id.slice(0, 30)} (${id.length} bytes) is refused with a null id`, async () => {
            const answer = await client.exchange(withId(id));
            assert.equal(answer.id, null);
            assert.equal(answer.error.code, -32600, JSON.stringify(answer));
        });

    test('of 1 000 requests may all be the same, and each is answered', async () => {
        const other = await Client.connect(daemon);
        for (let i = 0; i < 1000; ++i) {
            other.send(`{"jsonrpc":"2.0","id":7,"method":"${hub}.call_unsub","params":[1]}`);
            if (i % 5 === 0) other.send(ping(7));
        }
        await other.until('1 200 answers', () => (other.responses.length === 1200 ? true : undefined));
        assert.ok(other.responses.every((r) => r.id === 7 && 'result' in r));
        await other.close();
    });
});

describe('notifications', () => {
    for (const method of [`${hub}.call`, '_info', `${hub}.call_unsub`, `${hub}.respond`, 'nobody.knows', 'rpc.discover', 'echo_ping'])
        test(`${method} without an id is not answered`, async () => {
            const frames = client.frames.length;
            client.send({ jsonrpc: '2.0', method, params: { method: 'echo.ping' } });
            await client.stream('_info');
            assert.equal(client.frames.length, frames + 3);
        });

    test('of an unsubscribe still ends the stream', async () => {
        const id = await client.subscribe(`${hub}.call`, { method: 'echo.echo', params: { message: 'x', count: 100, interval_ms: 20 } });
        await client.items(id, 1);
        client.send({ jsonrpc: '2.0', method: `${hub}.call_unsub`, params: [id] });
        await client.stream('_info');
        const seen = client.streams.get(id).length;
        await sleep(100);
        assert.equal(client.streams.get(id).length, seen);
    });
});

describe('unsubscribing', () => {
    const names = [`${hub}.call_unsub`, `${hub}.schema_unsub`, `${hub}.hash_unsub`, `${hub}.hashes_unsub`, `${hub}.resolve_handle_unsub`,
        '_info_unsub', 'echo_unsubscribe_echo', 'health_unsubscribe_check', 'echo.list_children_unsub', 'echo.search_children_unsub', 'plexus.call_unsub'];
    for (const name of names)
        test(`works by the name ${name}`, async () => {
            const id = await client.subscribe(`${hub}.call`, { method: 'echo.echo', params: { message: 'x', count: 1000, interval_ms: 5 } });
            await client.items(id, 2);
            assert.equal((await client.request(name, [id])).result, true);
            const seen = client.streams.get(id).length;
            await client.stream('_info');
            await sleep(20);
            assert.equal(client.streams.get(id).length, seen, 'nothing follows, not even done');
            assert.equal((await client.request(name, { subscription: id })).result, false, 'it is gone');
        });

    test('takes {"subscription": id}', async () => {
        const id = await client.subscribe('echo_echo', { message: 'x', count: 1000, interval_ms: 5 });
        assert.equal((await client.request('echo_unsubscribe_echo', { subscription: id })).result, true);
    });

    test('does not reach streams of another connection', async () => {
        const other = await Client.connect(daemon);
        const id = await other.subscribe('echo_echo', { message: 'x', count: 5, interval_ms: 20 });
        assert.equal((await client.request(`${hub}.call_unsub`, [id])).result, false);
        assert.equal((await other.ended(id)).length, 6);
        await other.close();
    });

    for (const params of [[], ['x'], [1.5], [-1], {}, null, undefined, [1, 2], { subscription: 'x' }])
        test(`with ${JSON.stringify(params)} is an invalid parameter`, async () => {
            assert.equal((await client.request(`${hub}.call_unsub`, params)).error.code, -32602);
        });
});

describe('batches', () => {
    const info = (id) => ({ jsonrpc: '2.0', id, method: '_info' });

    test('are answered by one array, and their streams follow it', async () => {
        const other = await Client.connect(daemon);
        const answer = await other.exchange(JSON.stringify([info(1), { jsonrpc: '2.0', id: 2, method: 'nobody' }, info(3)]));
        assert.deepEqual(answer.map((r) => [r.id, 'result' in r]), [[1, true], [2, false], [3, true]]);
        for (const id of [0, 2]) assert.equal((await other.ended(answer[id].result)).at(-1).type, 'done');
        await other.close();
    });

    test('of 100 are taken, of 101 refused', async () => {
        const other = await Client.connect(daemon);
        const many = Array.from({ length: 100 }, (_, i) => info(i));
        assert.equal((await other.exchange(JSON.stringify(many))).length, 100);
        for (const response of other.responses) await other.ended(response.result);
        const refused = await other.exchange(JSON.stringify([...many, info(100)]));
        assert.equal(refused.error?.code, -32600);
        assert.equal(refused.id, null);
        await other.close();
    });

    test('of notifications only are answered with nothing', async () => {
        const frames = client.frames.length;
        client.send(JSON.stringify([{ jsonrpc: '2.0', method: '_info' }, { jsonrpc: '2.0', method: `${hub}.call_unsub`, params: [1] }]));
        await client.stream('_info');
        assert.equal(client.frames.length, frames + 3);
    });
});

// https://www.jsonrpc.org/specification §7; `subtract` and friends stand for methods nobody has here.
describe("the specification's examples", () => {
    const invalid = { code: -32600, id: null };
    const examples = [
        ['positional parameters', '{"jsonrpc": "2.0", "method": "echo_once", "params": ["42"], "id": 1}', { accepted: 1 }],
        ['named parameters', '{"jsonrpc": "2.0", "method": "echo_once", "params": {"message": "42"}, "id": 3}', { accepted: 3 }],
        ['non-existent method', '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', { code: -32601, id: '1' }],
        ['invalid JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', { code: -32700, id: null }],
        ['invalid request object', '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', invalid],
        ['batch, invalid JSON', '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]', { code: -32700, id: null }],
        ['empty array', '[]', invalid],
        ['invalid batch, not empty', '[1]', [invalid]],
        ['invalid batch', '[1,2,3]', [invalid, invalid, invalid]],
        ['mixed batch', `[{"jsonrpc": "2.0", "method": "echo_ping", "id": "1"},
            {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
            {"jsonrpc": "2.0", "method": "echo_once", "params": ["a"], "id": "2"},
            {"foo": "boo"},
            {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
            {"jsonrpc": "2.0", "method": "registry_list", "id": "9"}]`,
        [{ accepted: '1' }, { accepted: '2' }, invalid, { code: -32601, id: '5' }, { accepted: '9' }]],
    ];
    const matches = (answer, expected) => {
        if ('accepted' in expected) return assert.ok(answer.id === expected.accepted && Number.isInteger(answer.result), JSON.stringify(answer));
        assert.equal(answer.error?.code, expected.code, JSON.stringify(answer));
        assert.equal(answer.id, expected.id);
        assert.equal(typeof answer.error.message, 'string');
    };
    for (const [name, text, expected] of examples)
        test(name, async () => {
            const other = await Client.connect(daemon);
            const answer = await other.exchange(text);
            if (!Array.isArray(expected)) matches(answer, expected);
            else {
                assert.equal(answer.length, expected.length);
                answer.forEach((one, i) => matches(one, expected[i]));
            }
            await other.close();
        });
});

describe('the order under load', () => {
    test('every response precedes its items, for 100 parallel schema calls on each of 5 connections', async () => {
        const clients = await Promise.all(Array.from({ length: 5 }, () => Client.connect(daemon)));
        await Promise.all(clients.flatMap((one) => Array.from({ length: 100 }, async (_, i) => {
            const items = await one.call(['substrate.schema', 'echo.schema', 'echo.cave.wall.schema', 'health.schema'][i % 4]);
            assert.deepEqual(items.map((item) => item.type), ['data', 'done']);
        })));
        const ids = clients.flatMap((one) => [...one.streams.keys()]);
        assert.equal(new Set(ids).size, 500, 'ids are unique in the process');
        await Promise.all(clients.map((one) => one.close()));
    });

    test('at most 256 calls run on one connection; the next is told to come later', async () => {
        const other = await Client.connect(daemon);
        const slow = { method: 'echo.echo', params: { message: 'x', count: 2, interval_ms: 60_000 } };
        await Promise.all(Array.from({ length: 256 }, () => other.subscribe(`${hub}.call`, slow)));
        const { error } = await other.request(`${hub}.call`, slow);
        assert.equal(error.code, -32029);
        assert.equal(error.data.retryable, true);
        const first = other.streams.keys().next().value;
        assert.equal((await other.request(`${hub}.call_unsub`, [first])).result, true);
        await other.subscribe(`${hub}.call`, slow);
        await other.close();
    });
});
