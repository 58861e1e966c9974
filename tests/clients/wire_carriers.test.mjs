// The other ways in: the _debug conformance methods, HTTP POST, server-sent events, plain GETs, the unix socket.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Daemon } from './lib/daemon.mjs';
import { isTerminal, itemProblems } from './lib/items.mjs';
import { Client, hub } from './lib/wire.mjs';

let daemon, client;
before(async () => { daemon = await Daemon.start({ env: { PLEXUS_DEBUG: 'true' } }); client = await Client.connect(daemon); });
after(async () => { await client.close(); await daemon.stop(); });

describe('_debug', () => {
    const times = (count, ...names) => Array(count).fill(names).flat();
    const scenarios = [
        ['protocol_test', {}, ['data', 'progress', 'data', 'done']],
        ['protocol_test', null, ['data', 'progress', 'data', 'done']],
        ['stream_test', { scenario: 'slow' }, [...times(5, 'data'), 'done']],
        ['stream_test', { scenario: 'large' }, [...times(3, 'data'), 'done']],
        ['stream_test', { scenario: 'many' }, [...times(100, 'data'), 'done']],
        ['stream_test', { scenario: 'progress' }, [...times(5, 'progress'), 'done']],
        ['error_test', { error_type: 'immediate' }, ['error']],
        ['error_test', { error_type: 'after_data' }, ['data', 'error']],
        ['error_test', { error_type: 'recoverable' }, ['data', 'error']],
        ['metadata_test', {}, [...times(5, 'data'), 'done']],
    ];
    for (const [name, params, types] of scenarios)
        test(`${name} ${JSON.stringify(params)}`, async () => {
            const id = await client.subscribe(`${hub}.call`, { method: `_debug.${name}`, params });
            const items = await client.ended(id, 15_000);
            const { times: arrivals } = client.streams.get(id);
            assert.deepEqual(items.map((item) => item.type), types);
            const scenario = params?.scenario ?? params?.error_type ?? name;
            if (scenario === 'progress') assert.deepEqual(items.slice(0, 5).map((item) => item.percentage), [0, 25, 50, 75, 100]);
            if (scenario === 'protocol_test') assert.equal(items[1].percentage, 50);
            if (scenario === 'recoverable') assert.equal(items[1].recoverable, true);
            if (scenario === 'immediate') assert.equal(items[0].recoverable, false);
            if (scenario === 'large') for (const item of items.slice(0, 3)) assert.ok(Math.abs(JSON.stringify(item.content).length - 10_000) < 1_000);
            if (scenario === 'slow') for (let i = 1; i < 5; ++i) assert.ok(arrivals[i] - arrivals[i - 1] >= 80 && arrivals[i] - arrivals[i - 1] < 400, `${arrivals}`);
            if (name === 'metadata_test') assert.ok(new Set(items.slice(0, 5).map((item) => JSON.stringify(item.metadata))).size > 1, 'the metadata vary');
        });

    test('does not change what the hub says about itself', async () => {
        const plain = await Daemon.start();
        const other = await Client.connect(plain);
        assert.equal((await other.datum(`${hub}.hash`)).value, (await client.datum(`${hub}.hash`)).value);
        assert.equal((await other.call('_debug.protocol_test'))[0].code, '-32601');
        await other.close();
        await plain.stop();
    });
});

const post = (body, { path = '/rpc', headers = {}, ...rest } = {}) =>
    fetch(daemon.http + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body), ...rest });
const rpc = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
const call = (id, method, params) => rpc(id, `${hub}.call`, { method, params });

describe('HTTP POST', () => {
    // [request, check of the answer]
    const result = (expected) => (answer) => {
        for (const [key, value] of Object.entries(expected)) assert.equal(answer.result?.[key], value, JSON.stringify(answer));
    };
    const error = (code, reason) => (answer) => assert.deepEqual([answer.error?.code, reason && answer.error?.data?.reason], [code, reason], JSON.stringify(answer));
    const table = [
        ['health.check', rpc(1, 'health.check'), result({ status: 'healthy' })],
        ['a direct name', rpc('x', 'echo_once', { message: 'hi' }), result({ message: 'hi' })],
        ['call', call(1, 'echo.once', { message: 'hi' }), result({ message: 'hi' })],
        ['call within call', call(1, `${hub}.call`, { method: 'echo.ping' }), result({ type: 'pong' })],
        ['positional parameters', rpc(1, 'echo.once', ['hi']), result({ message: 'hi' })],
        ['_info', rpc(1, '_info'), result({ backend: hub })],
        ['the schema', rpc(1, `${hub}.schema`), result({ namespace: hub })],
        ['the hash', rpc(1, `${hub}.hash`), result({ event: 'hash' })],
        ['a child schema', call(1, 'echo.schema'), result({ namespace: 'echo' })],
        ['rpc.discover', rpc(1, 'rpc.discover'), result({ openrpc: '1.2.6' })],
        ['a streaming method', rpc(1, 'echo.echo', { message: 'x' }), error(-32000, 'unsupported')],
        ['a streaming method by call', call(1, 'echo.echo', { message: 'x' }), error(-32000, 'unsupported')],
        ['an unknown outer method', rpc(1, 'nobody'), error(-32601)],
        ['an unknown activation', call(1, 'nope.x'), error(-32601, 'activation_not_found')],
        ['an unknown method', call(1, 'echo.nope'), error(-32601, 'method_not_found')],
        ['a missing parameter', call(1, 'echo.once', {}), error(-32602, 'invalid_params')],
        ['a missing scope', rpc(1, 'registry.delete', { name: 'x' }), error(-32003, 'forbidden')],
        ['respond to nobody', rpc(1, `${hub}.respond`, { request_id: 'x', response_data: {} }), error(-32602)],
        ['a question', rpc(1, 'echo.confirm', { message: 'x' }), error(-32000, 'unsupported')],
        ['no JSON', '{', error(-32700)],
        ['no request', '{}', error(-32600)],
        ['an empty batch', '[]', error(-32600)],
        ['an empty body', ' ', error(-32700)],
    ];
    for (const path of ['/rpc', '/'])
        for (const [name, body, check] of table)
            test(`${name} on ${path}`, async () => {
                const response = await post(body, { path });
                assert.equal(response.status, 200);
                assert.match(response.headers.get('content-type'), /^application\/json/);
                const answer = await response.json();
                assert.equal(answer.jsonrpc, '2.0');
                assert.equal(answer.id, body.id ?? null);
                check(answer);
            });

    test('the refusal of a streaming method names WebSocket and GET /events', async () => {
        const { error: refusal } = await (await post(rpc(1, 'echo.echo', { message: 'x' }))).json();
        assert.match(refusal.message, /WebSocket/);
        assert.match(refusal.message, /GET \/events/);
    });

    test('a batch is answered by a batch, without its notifications', async () => {
        const body = [rpc(1, 'echo.ping'), { jsonrpc: '2.0', method: 'echo.ping' }, rpc(2, 'nobody'), call('3', 'echo.once', { message: 'x' })];
        const answers = await (await post(body)).json();
        assert.deepEqual(answers.map((a) => [a.id, a.result?.type ?? a.error.code]), [[1, 'pong'], [2, -32601], ['3', 'echo']]);
    });

    test('notifications get 204 and no body', async () => {
        for (const body of [{ jsonrpc: '2.0', method: 'echo.ping' }, [{ jsonrpc: '2.0', method: 'echo.ping' }, { jsonrpc: '2.0', method: 'nobody' }]]) {
            const response = await post(body);
            assert.deepEqual([response.status, await response.text()], [204, '']);
        }
    });

    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', 'text/json', '', 'application/json-patch+json', 'text/plain; a=application/json'])
        test(`content type '${type}' is refused with 415`, async () => {
            const response = await post(Buffer.from(JSON.stringify(rpc(1, 'echo.ping'))).toString(), { headers: { 'content-type': type } });
            assert.equal(response.status, 415);
        });
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=utf-8'])
        test(`content type '${type}' is taken`, async () => {
            assert.equal((await post(rpc(1, 'echo.ping'), { headers: { 'content-type': type } })).status, 200);
        });

    test('a connection carries many requests', async () => {
        for (let i = 0; i < 50; ++i) assert.equal((await (await post(rpc(i, 'echo.ping'))).json()).id, i);
    });

    test('a body beyond 10 MiB is refused with 413', async () => {
        const response = await post(JSON.stringify(rpc(1, 'echo.once', { message: 'x'.repeat(10 << 20) }))).catch((problem) => problem);
        assert.equal(response.status, 413, String(response.cause ?? response));
    });
});

describe('server-sent events', () => {
    const events = async (body) => {
        const response = await post(body, { headers: { accept: 'text/event-stream' } });
        assert.equal(response.status, 200);
        assert.match(response.headers.get('content-type'), /^text\/event-stream/);
        const items = (await response.text()).split('\n\n').filter(Boolean).map((event) => JSON.parse(event.replace(/^data: /, '')));
        for (const item of items) assert.deepEqual([...itemProblems(item)], []);
        assert.deepEqual(items.map(isTerminal), items.map((_, i) => i === items.length - 1), 'exactly one terminal item, the last');
        return items;
    };
    test('carry a stream', async () => {
        const items = await events(call(1, 'echo.echo', { message: 'x', count: 3, interval_ms: 1 }));
        assert.deepEqual(items.map((item) => item.content?.count ?? item.type), [1, 2, 3, 'done']);
    });
    test('carry an error', async () => {
        assert.equal((await events(call(1, 'nope.x')))[0].code, '-32601');
        assert.equal((await events(rpc(1, 'registry.delete', { name: 'x' }))).at(-1).code, '-32003');
    });
    test('end the work when the reader leaves', async () => {
        const stop = new AbortController();
        const response = await post(rpc(1, 'echo.confirm', { message: 'x' }), { headers: { accept: 'text/event-stream' }, signal: stop.signal });
        const { value } = await response.body.getReader().read();
        const { request_id } = JSON.parse(Buffer.from(value).toString().replace(/^data: /, ''));
        stop.abort();
        await new Promise((resolve) => setTimeout(resolve, 450));
        assert.equal((await client.request(`${hub}.respond`, { request_id, response_data: {} })).error?.code, -32602);
    });
});

describe('plain HTTP', () => {
    for (const [method, path, status] of [['GET', '/', 200], ['GET', '/healthz', 200], ['GET', '/readyz', 200], ['GET', '/nothing', 404], ['GET', '/rpc', 405],
        ['PUT', '/rpc', 405], ['DELETE', '/', 405], ['OPTIONS', '/rpc', 405], ['POST', '/nothing', 404], ['GET', '/../etc/passwd', 404], ['HEAD', '/nothing', 404]])
        test(`${method} ${path} is ${status}`, async () => {
            const headers = method === 'POST' ? { 'content-type': 'application/json' } : {};
            const response = await fetch(daemon.http + path, { method, headers, body: method === 'POST' ? '{}' : undefined });
            assert.equal(response.status, status);
            assert.equal(response.headers.get('access-control-allow-origin'), null);
            assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
        });
});

describe('the unix socket', () => {
    const socketPath = () => join(daemon.stateDir, 'run/plexus.sock');
    test('speaks the same protocol, with every scope', async () => {
        const other = await Client.connect(`ws+unix://${socketPath()}:/`, { headers: { host: 'localhost' } });
        assert.equal((await other.datum('echo.once', { message: 'x' })).message, 'x');
        assert.deepEqual((await other.datum('access.whoami')).scopes.sort(), ['admin', 'approve', 'chat', 'read']);
        await other.close();
    });
    test('takes HTTP too', async () => {
        const status = await new Promise((resolve, reject) => request({ socketPath: socketPath(), path: '/healthz', headers: { host: 'localhost' } },
            (response) => { response.resume(); resolve(response.statusCode); }).on('error', reject).end());
        assert.equal(status, 200);
    });
});
