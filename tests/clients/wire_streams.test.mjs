// Streams: the literal frames of the public clients, every row of the compatibility matrix, questions, and how
// streams end. Item rules (metadata, one terminal item, no error key) are checked on every frame by lib/wire.mjs.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Daemon, eventually, sleep } from './lib/daemon.mjs';
import { Client, hub } from './lib/wire.mjs';
import { RawSocket, frame } from './lib/raw.mjs';

let daemon, client;
before(async () => { daemon = await Daemon.start({ env: { PLEXUS_DEBUG: 'true' } }); client = await Client.connect(daemon); });
after(async () => { await client.close(); await daemon.stop(); });

const types = (items) => items.map((item) => item.type);

describe('recorded frames of public clients', () => {
    // [client, frame as recorded, types of the items, check of the first datum]
    const recorded = [
        ['synapse _info', '{"id":1,"jsonrpc":"2.0","method":"_info","params":null}', 'data,done', (c) => assert.equal(c.backend, hub)],
        ['gamma _info', '{"jsonrpc":"2.0","id":1,"method":"_info","params":[]}', 'data,done', (c) => assert.equal(c.backend, hub)],
        ['_info with an object', '{"jsonrpc":"2.0","id":1,"method":"_info","params":{}}', 'data,done', (c) => assert.match(c.version, /^\d+\.\d+\.\d+/)],
        ['_info without params', '{"jsonrpc":"2.0","id":1,"method":"_info"}', 'data,done', (c) => assert.equal(c.backend, hub)],
        ['synapse _self debug', '{"jsonrpc":"2.0","id":1,"method":"substrate._info","params":{}}', 'data,done', (c) => assert.equal(c.backend, hub)],
        ['synapse root schema', '{"id":1,"jsonrpc":"2.0","method":"substrate.call","params":{"method":"substrate.schema"}}', 'data,done', (c) => assert.equal(c.namespace, hub)],
        ['synapse child schema', '{"id":2,"jsonrpc":"2.0","method":"substrate.call","params":{"method":"echo.schema"}}', 'data,done', (c) => assert.equal(c.namespace, 'echo')],
        ['synapse echo', '{"id":5,"jsonrpc":"2.0","method":"substrate.call","params":{"method":"echo.echo","params":{"count":2,"interval_ms":1,"message":"hi"}}}', 'data,data,done', (c) => assert.equal(c.message, 'hi')],
        ['synapse registry list', '{"id":6,"jsonrpc":"2.0","method":"substrate.call","params":{"method":"registry.list","params":{}}}', 'data,done', (c) => {
            assert.equal(c.type, 'backends');
            const [self] = c.backends;
            assert.deepEqual([self.name, self.host, self.port, self.protocol, self.is_active], [hub, '127.0.0.1', daemon.port, 'ws', true]);
        }],
        ['synapse registry get', '{"id":7,"jsonrpc":"2.0","method":"substrate.call","params":{"method":"registry.get","params":{"name":"substrate"}}}', 'data,done', (c) => assert.equal(c.backend.name, hub)],
        ['synapse registry get, unknown', '{"id":8,"jsonrpc":"2.0","method":"substrate.call","params":{"method":"registry.get","params":{"name":"other"}}}', 'data,done', (c) => assert.deepEqual(c, { type: 'backend', backend: null })],
        ['gamma hash', '{"jsonrpc":"2.0","id":1,"method":"substrate.call","params":{"method":"substrate.hash","params":{}}}', 'data,done', (c) => {
            assert.equal(c.event, 'hash');
            assert.match(c.value, /^[0-9a-f]{16}$/);
        }],
        ['gamma root schema', '{"jsonrpc":"2.0","id":2,"method":"substrate.call","params":{"method":"substrate.schema","params":{}}}', 'data,done', (c) => assert.ok(c.children.length > 2)],
        ['gamma nested schema', '{"jsonrpc":"2.0","id":3,"method":"substrate.call","params":{"method":"echo.cave.wall.schema","params":{}}}', 'data,done', (c) => assert.equal(c.namespace, 'wall')],
        ['sandbox echo.once', '{"jsonrpc":"2.0","id":2,"method":"substrate.call","params":{"method":"echo.once","params":{"message":"Hello from TypeScript!"}}}', 'data,done', (c) => assert.equal(c.message, 'Hello from TypeScript!')],
        ['sandbox health.check', '{"jsonrpc":"2.0","id":3,"method":"substrate.call","params":{"method":"health.check","params":{}}}', 'data,done', (c) => assert.equal(c.status, 'healthy')],
        ['sandbox, an activation nobody has', '{"jsonrpc":"2.0","id":4,"method":"substrate.call","params":{"method":"hyperforge.status","params":{}}}', 'error'],
        ['orcha-tui-ts without orcha', '{"jsonrpc":"2.0","id":1,"method":"substrate.call","params":{"method":"orcha.list_sessions","params":{}}}', 'error'],
        ['as the TS server was asked', '{"jsonrpc":"2.0","id":10,"method":"substrate.call","params":{"method":"echo.nope","params":{}}}', 'error'],
    ];
    for (const [name, text, expected, check] of recorded)
        test(name, async () => {
            const other = await Client.connect(daemon);
            const began = Date.now();
            const { id, result } = await other.exchange(text);
            assert.equal(id, JSON.parse(text).id);
            const items = await other.ended(result);
            if (name.includes('_info')) assert.ok(Date.now() - began < 300, 'within 300 ms');
            assert.equal(types(items).join(), expected);
            check?.(items[0].content);
            await other.close();
        });

    test('synapse registering itself from another port is refused as an item, harmlessly', async () => {
        const items = await client.call('registry.register', { host: '127.0.0.1', name: 'other', port: 27602, protocol: 'ws' });
        assert.equal(types(items).at(-1), 'error');
        assert.equal(items.at(-1).code, '-32003');
    });
});

describe('the matrix of stream protocols', () => {
    test('subscription ids are numbers, growing, never reused', async () => {
        const ids = [];
        for (let i = 0; i < 20; ++i) ids.push(await client.subscribe('_info'));
        assert.ok(ids.every((id, i) => Number.isSafeInteger(id) && (i === 0 || id > ids[i - 1])));
    });

    test('an empty stream is only done', async () => {
        assert.deepEqual(types(await client.call('health.list_children')), ['done']);
    });

    test('a datum may be a bare string', async () => {
        const [item] = await client.call('echo.list_children');
        assert.deepEqual([item.content_type, item.content], ['list_children', 'cave']);
    });

    test('an error comes alone, with a code in a string and recoverable, and nothing after it', async () => {
        const [item, ...rest] = await client.call('nope.nope');
        assert.deepEqual(rest, []);
        assert.deepEqual([item.type, item.code, item.recoverable, item.reason], ['error', '-32601', false, 'activation_not_found']);
    });

    test('data and then an error both arrive, in this order', async () => {
        assert.deepEqual(types(await client.call('_debug.error_test', { error_type: 'after_data' })), ['data', 'error']);
    });

    test('timestamps are whole seconds of now', async () => {
        for (const item of await client.call('health.check'))
            assert.ok(Math.abs(item.metadata.timestamp - Date.now() / 1000) < 3, `${item.metadata.timestamp}`);
    });

    test('each item is stamped when it is made', async () => {
        const items = await client.call('echo.echo', { message: 'x', count: 2, interval_ms: 1100 });
        assert.ok(items[1].metadata.timestamp > items[0].metadata.timestamp);
    });

    const texts = ['', '\u0000', 'žluťoučký kůň', '😀👩‍👩‍👧', '\u2028\u2029', '"\\/\b\f\n\r\t', '\ufffe\uffff', 'שלום', '\u007f\u0080', '</script>'];
    for (const text of texts)
        test(`the text ${JSON.stringify(text)} comes back unchanged`, async () => {
            assert.equal((await client.datum('echo.once', { message: text })).message, text);
        });

    test('a 5 MB item passes', async () => {
        const message = 'ž'.repeat(2_500_000);
        assert.equal((await client.datum('echo.once', { message })).message, message);
    });

    test('20 000 items pass, in order, each once', async () => {
        const items = await client.call('echo.echo', { message: 'x', count: 20_000, interval_ms: 0 });
        assert.equal(items.length, 20_001);
        items.slice(0, -1).forEach((item, i) => { if (item.content.count !== i + 1) assert.fail(`${item.content.count} at ${i}`); });
    });

    test('two streams of one connection interleave', async () => {
        const params = { message: 'x', count: 3, interval_ms: 30 };
        const [a, b] = await Promise.all([client.subscribe('echo_echo', params), client.subscribe('echo_echo', params)]);
        await Promise.all([client.ended(a), client.ended(b)]);
        const order = client.frames.filter((f) => [a, b].includes(f.params?.subscription)).map((f) => f.params.subscription);
        assert.ok(order.indexOf(b) < order.lastIndexOf(a));
    });

    test('no frame exceeds 10 MiB, though a request may have just that', async () => {
        const other = await Client.connect(daemon);
        const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"echo_once","params":["', '"]}'];
        const sizes = [];
        other.socket.on('message', (bytes) => sizes.push(bytes.length));
        const { result } = await other.exchange(head + 'x'.repeat((10 << 20) - head.length - tail.length) + tail);
        const last = (await other.ended(result)).at(-1);
        assert.ok(Math.max(...sizes) <= 10 << 20, `a frame of ${Math.max(...sizes)} bytes`);
        assert.equal(last.reason, 'too_large');
        await other.close();
    });

    test('an item beyond the configured size ends its stream with too_large', async () => {
        const own = await Daemon.start({ config: '[limits]\nanswer_bytes = 20000\n' });
        const other = await Client.connect(own);
        assert.equal((await other.datum('echo.once', { message: 'x'.repeat(15_000) })).message.length, 15_000);
        const [error, ...rest] = await other.call('echo.once', { message: 'x'.repeat(25_000) });
        assert.deepEqual([error.code, error.reason, rest], ['-32000', 'too_large', []]);
        await other.close();
        await own.stop();
    });
});

describe('questions', () => {
    const ask = (who, message = 'Proceed?') => who.subscribe(`${hub}.call`, { method: 'echo.confirm', params: { message } });
    const answer = (id, value) => ({ request_id: id, response_data: { type: 'confirmed', value } });

    test('come in the form both families of clients read, not before 100 ms', async () => {
        const id = await ask(client);
        const accepted = Date.now();
        const item = await client.item(id, 'request');
        assert.ok(Date.now() - accepted >= 90, `${Date.now() - accepted} ms after the response`);
        assert.equal(item.timeout, 30_000);
        assert.deepEqual(item.request, { type: 'confirm', message: 'Proceed?', default: false });
        await client.request(`${hub}.respond`, answer(item.request_id, true));
        assert.equal((await client.ended(id)).at(-2).content.type, 'confirmed');
    });

    test('are asked by direct names too', async () => {
        const id = await client.subscribe('echo_confirm', { message: 'Sure?' });
        const item = await client.item(id, 'request');
        await client.request(`${hub}.respond`, answer(item.request_id, false));
        assert.equal((await client.ended(id)).at(-2).content.type, 'declined');
    });

    test('the reply to respond is two frames: the result, then done on that result', async () => {
        const id = await ask(client);
        const { request_id } = await client.item(id, 'request');
        client.send(`{"id":901,"jsonrpc":"2.0","method":"substrate.respond","params":{"request_id":"${request_id}","response_data":{"type":"confirmed","value":true}}}`);
        assert.deepEqual(await client.response(901), { jsonrpc: '2.0', id: 901, result: { success: true } });
        const later = () => client.frames.slice(client.frames.findIndex((f) => f.id === 901));
        const second = await client.until('done on the result', () => later().find((f) => f.params?.subscription?.success));
        assert.deepEqual(second.params.subscription, { success: true });
        assert.equal(second.params.result.type, 'done');
        await client.ended(id);
    });

    test('can be answered from another connection, and through call', async () => {
        for (const how of ['direct', 'call']) {
            const other = await Client.connect(daemon);
            const id = await ask(client);
            const { request_id } = await client.item(id, 'request');
            if (how === 'direct') assert.deepEqual((await other.request(`${hub}.respond`, answer(request_id, true))).result, { success: true });
            else assert.deepEqual(await other.datum(`${hub}.respond`, answer(request_id, true)), { success: true });
            assert.equal((await client.ended(id)).at(-2).content.type, 'confirmed');
            await other.close();
        }
    });

    test('can be answered over HTTP', async () => {
        const id = await ask(client);
        const { request_id } = await client.item(id, 'request');
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: `${hub}.respond`, params: answer(request_id, true) });
        const response = await fetch(`${daemon.http}/rpc`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        assert.deepEqual(await response.json(), { jsonrpc: '2.0', id: 1, result: { success: true } });
        assert.equal((await client.ended(id)).at(-2).content.type, 'confirmed');
    });

    for (const data of [{ type: 'cancelled' }, { type: 'text', value: 'yes' }, null, 5, { type: 'selected', values: [] }])
        test(`answered by ${JSON.stringify(data)} it does not count as a yes`, async () => {
            const id = await ask(client);
            const { request_id } = await client.item(id, 'request');
            await client.request(`${hub}.respond`, { request_id, response_data: data });
            const items = await client.ended(id);
            assert.ok(!items.some((item) => item.content?.type === 'confirmed'), JSON.stringify(items));
        });

    test('answered twice, late, or never asked: invalid params, naming the id', async () => {
        const id = await ask(client);
        const { request_id } = await client.item(id, 'request');
        await client.request(`${hub}.respond`, answer(request_id, true));
        await client.ended(id);
        for (const [params, named] of [[answer(request_id, true), request_id], [answer('nobody', true), 'nobody'], [{}, ''], [null, ''], [[], '']]) {
            const { error } = await client.request(`${hub}.respond`, params);
            assert.equal(error.code, -32602);
            assert.ok(error.message.startsWith('Unknown request ID') && error.message.includes(named), error.message);
        }
    });

    test('are forgotten when the asker is gone', async () => {
        const other = await Client.connect(daemon);
        const id = await ask(other);
        const { request_id } = await other.item(id, 'request');
        other.socket.terminate();
        await eventually('the question is gone', async () => {
            const { error } = await client.request(`${hub}.respond`, answer(request_id, true));
            return error ? true : 'answered';
        }, 500);
    });
});

describe('cancelling', () => {
    // A question that can still be answered shows that its method still runs.
    const running = async (who) => {
        const id = await who.subscribe('echo_confirm', { message: 'x' });
        return { id, request: (await who.item(id, 'request')).request_id };
    };
    const stillRuns = async (request) => !(await client.request(`${hub}.respond`, { request_id: request, response_data: {} })).error;

    test('an unsubscribe ends the work within 500 ms', async () => {
        const { id, request } = await running(client);
        assert.equal((await client.request(`${hub}.call_unsub`, [id])).result, true);
        await sleep(450);
        assert.equal(await stillRuns(request), false);
    });

    for (const [how, leave] of [['a TCP reset', (raw) => raw.socket.resetAndDestroy()], ['a bare FIN', (raw) => raw.socket.end()],
        ['close 1000', (raw) => raw.send(frame([3, 232], { opcode: 8 }))], ['close 1001', (raw) => raw.send(frame([3, 233], { opcode: 8 }))],
        ['an empty close', (raw) => raw.send(frame([], { opcode: 8 }))]])
        test(`${how} ends the work within 500 ms`, async () => {
            const raw = await RawSocket.connect(daemon.port);
            raw.send(frame('{"jsonrpc":"2.0","id":1,"method":"echo_confirm","params":{"message":"x"}}'));
            await raw.message();
            const { params } = JSON.parse(await raw.message());
            leave(raw);
            if (how.includes('close')) assert.ok([1000, 1001, 1005].includes(await raw.ending()));
            await sleep(450);
            assert.equal(await stillRuns(params.result.request_id), false);
            raw.destroy();
        });
});

describe('shutting down', () => {
    test('SIGTERM ends open streams with an error item, then closes with 1012, and the daemon exits 0', async () => {
        const own = await Daemon.start();
        const clients = await Promise.all([Client.connect(own), Client.connect(own)]);
        const ids = await Promise.all(clients.flatMap((one) => [one.subscribe('echo_echo', { message: 'x', count: 10_000, interval_ms: 10 }),
            one.subscribe('echo_confirm', { message: 'x' })]));
        await Promise.all([clients[0].items(ids[0], 3), clients[1].items(ids[2], 3)]);
        const began = Date.now();
        const stopped = own.stop();
        for (const [i, id] of ids.entries()) {
            const last = (await clients[i >> 1].ended(id, 3000)).at(-1);
            assert.deepEqual([last.type, last.code, last.reason, last.recoverable], ['error', '-32000', 'shutting_down', true]);
        }
        for (const one of clients) {
            assert.equal((await one.ending()).code, 1012);
            assert.deepEqual(one.violations, []);
        }
        await stopped;
        assert.ok(Date.now() - began < 3000, `${Date.now() - began} ms`);
    });

    test('a client that does not read cannot hold up the stop', async () => {
        const own = await Daemon.start();
        const raw = await RawSocket.connect(own.port);
        raw.socket.pause();
        raw.send(frame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo_echo', params: { message: 'x'.repeat(10_000), count: 100_000, interval_ms: 0 } })));
        await sleep(300);
        const began = Date.now();
        await own.stop();
        assert.ok(Date.now() - began < 6000, `${Date.now() - began} ms`);
        raw.destroy();
    });
});
