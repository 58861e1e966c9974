// Everything a client can do wrong in a message: each gets a clear error, memory stays flat, health.check answers.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Daemon, eventually } from './lib/daemon.mjs';
import { exchangeBytes, frame, http, RawSocket } from './lib/raw.mjs';
import { Client, hub } from './lib/wire.mjs';

let daemon, witness, base;
before(async () => {
    daemon = await Daemon.start();
    witness = await Client.connect(daemon);
    await witness.datum('health.check');
    base = { rss: daemon.rssKiB(), descriptors: daemon.descriptors() };
});
after(async () => {
    await eventually('descriptors are back to where they were', () => daemon.descriptors() <= base.descriptors || daemon.descriptors());
    assert.ok(daemon.rssKiB() - base.rss < 48 * 1024, `RSS grew by ${daemon.rssKiB() - base.rss} KiB over ${count} cases, 10 MiB messages among them`);
    assert.ok(count >= 200, `${count} cases`);
    await witness.close();
    await daemon.stop();
});

let count = 0;
const healthy = async () => {
    const began = Date.now();
    assert.equal((await witness.datum('health.check')).status, 'healthy');
    return Date.now() - began;
};

const nested = (depth, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);
const call = (rest) => `{"jsonrpc":"2.0","id":1,"method":"${hub}.call","params":${rest}}`;
const info = (rest) => `{"jsonrpc":"2.0","method":"_info",${rest}}`;

// text → code of the JSON-RPC error; ids are null unless given
const messages = [
    ...['', ' ', '\n', '{', '}', '[', ']', '[[', '{]', '"', '"abc', 'nul', 'truefalse', '{"a"}', '{"a":}', '{"a":1,}', '[1,]', "{'a':1}", '{a:1}', '\u0000', '{"jsonrpc":"2.0","id":1,"method":"_info"', '{"jsonrpc":"2.0","id":1,"method":"_info"}}',
        '{"jsonrpc":"2.0","id":1,"method":"_info"}{"jsonrpc":"2.0","id":2,"method":"_info"}', '{"jsonrpc":"2.0","id":1,"method":"_info"} x', '// comment\n{}', '/**/{}', '{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":1.}', '{"a":1e}', '{"a":0x10}', '{"a":NaN}', '{"a":Infinity}', '{"a":-}',
        '{"a":"\\x41"}', '{"a":"\\u12"}', '{"a":"\\ud800"}', '{"a":"\\udc00x"}', '{"a":"\n"}', '{"a":"\t"}', '{"a":"\u0001"}', '\ufeff{', 'GET / HTTP/1.1', '<xml/>', 'undefined', "'", '\\', '{"a":tru}', '{"a":nulll}', '[1 2]', '{"a":1 "b":2}', '{,}', '[,]', '{:1}', '{"a"::1}', '--', '1 2'].map((text) => [text, -32700]),
    ...['1', '"x"', 'null', 'true', 'false', '1.5', '{}', '{"jsonrpc":"2.0"}', '{"id":1}', '{"method":"_info"}', '[]'].map((text) => [text, -32600, text === '{"id":1}' ? 1 : null]),
    // version
    ...['"1.0"', '2.0', '2', 'null', '"2"', '""', '["2.0"]', '{}', 'true', '"2.00"', '"２.０"'].map((version) => [`{"jsonrpc":${version},"id":1,"method":"_info"}`, -32600, 1]),
    ['{"id":1,"method":"_info"}', -32600, 1],
    // method
    ...['1', 'null', '[]', '{}', 'true', '["_info"]', '1.5'].map((method) => [`{"jsonrpc":"2.0","id":"m","method":${method}}`, -32600, 'm']),
    ['{"jsonrpc":"2.0","id":"m"}', -32600, 'm'],
    ...['nobody', '', ' ', '.', '..', '_', '__', '_info ', ' _info', '_INFO', 'substrate', 'substrate.', '.call', 'substrate..call', 'substrate.call.', 'call', 'rpc.', 'echo_', '_echo', 'echo_once_', '\\u0000', '_info\\u0000', '../etc/passwd', '%s%n', "'; drop table", 'ž'.repeat(500), 'a.'.repeat(500), '_'.repeat(5000), 'x'.repeat(100_000)]
        .map((method) => [`{"jsonrpc":"2.0","id":7,"method":"${method}"}`, -32601, 7]),
    // outer params
    ...['1', '"x"', 'true', '1.5', 'false', '""'].map((params) => [`{"jsonrpc":"2.0","id":2,"method":"_info","params":${params}}`, -32600, 2]),
    // ids
    ...['null', '{}', '[]', '1.5', 'true', 'false', '1e3', '-0.5', '9007199254740993', '-9007199254740993', '18446744073709551615', `"${'x'.repeat(257)}"`, `"${'x'.repeat(1 << 20)}"`, `"${'x'.repeat(9 << 20)}"`, '[1]', '{"a":1}', nested(20)]
        .map((id) => [info(`"id":${id}`), -32600]),
    // depth
    ...[65, 66, 100, 1000, 100_000, 1_000_000].map((depth) => [nested(depth), -32700]),
    ...[65, 1000, 100_000].flatMap((depth) => [[call(nested(depth)), -32700], [call(nested(depth, '{"a":', '}').replace('{"a":}', '{}')), -32700], [info(`"id":1,"params":${nested(depth)}`), -32700]]),
    // batches
    [`[${Array(101).fill('{"jsonrpc":"2.0","id":1,"method":"_info"}').join()}]`, -32600], [`[${Array(101).fill('1').join()}]`, -32600], [`[${Array(200_000).fill('{}').join()}]`, -32600], [`[${Array(200_000).fill('[]').join()}]`, -32600], ['[[]', -32700],
    // respond and unsubscribe
    ...['{}', '[]', 'null', '{"request_id":5}', '{"request_id":null}', '{"request_id":"x"}', '{"response_data":{}}', '["x"]', `{"request_id":"${'x'.repeat(100_000)}"}`, '{"request_id":["x"]}'].map((params) => [`{"jsonrpc":"2.0","id":3,"method":"${hub}.respond","params":${params}}`, -32602, 3]),
    ...['{}', '[]', 'null', '["x"]', '[null]', '[1.5]', '[-1]', '[{}]', '{"subscription":"1"}', '{"subscription":-1}', '[1e300]', '[true]'].map((params) => [`{"jsonrpc":"2.0","id":4,"method":"${hub}.call_unsub","params":${params}}`, -32602, 4]),
];

// params of call → code of the error item
const items = [
    ...['{}', '[]', 'null', '{"method":5}', '{"method":null}', '{"method":[]}', '{"method":{}}', '{"params":{}}', '[[]]', '[5]', '[null]', '{"method":""}', '{"method":"x"}', '{"method":" "}', '{"method":"\\u0000"}', '{"Method":"echo.ping"}'].map((params) => [params, '-32602']),
    ...['nope.x', '.', '..', '...', 'echo.', '.echo', 'echo..ping', 'echo.ping.', 'echo.ping.x', 'echo.ping ', ' echo.ping', 'Echo.ping', 'echo.PING', 'echo.\\u0000', 'echo.ping\\u0000', `${hub}.nope`, `${hub}.`, `${hub}.${hub}.nope.x`, 'echo.cave.', 'echo.cave.wall', 'echo.cave.wall.', 'echo.cave.wall.nope', '../../x', 'a.'.repeat(2000), `${'x'.repeat(50_000)}.y`, `echo.${'y'.repeat(50_000)}`, 'echo/ping.x', 'ž.ž', 'echo.ž']
        .map((method) => [`{"method":"${method}"}`, ['-32601', '-32602']]),
    ...['{}', '[]', 'null', '5', 'true', '1.5', '{"message":null}', '{"message":5}', '{"message":[]}', '{"message":{}}', '{"message":true}', '[5]', '[null]', '[[]]', '[{}]', '{"Message":"x"}', '["a","b"]', '[{"message":5}]'].map((params) => [`{"method":"echo.once","params":${params}}`, '-32602']),
    ...['-1', '1.5', '"1"', 'true', '[]', '{}', '4294967296', '9007199254740993', '-9223372036854775808', '18446744073709551615', '1e300', '0.1'].map((value) => [`{"method":"echo.echo","params":{"message":"x","count":${value}}}`, '-32602']),
    ...['5', '"x"', '{}', '[]', '{"plugin_id":"x"}', '"@"', '"::"', '"a@b"', '"a::b"', '"A B@1::x"', '{"plugin_id":5,"version":"1","method":"m"}', '{"plugin_id":"not-a-uuid","version":"1","method":"m"}', '""', `"${'x'.repeat(100_000)}"`].map((handle) => [`{"method":"${hub}.resolve_handle","params":{"handle":${handle}}}`, '-32602']),
];

const short = (text) => (text.length > 80 ? `${text.slice(0, 60)}… (${text.length} bytes)` : JSON.stringify(text));

describe('messages', () => {
    test(`${messages.length} bad frames are each answered by their error, and the connection lives on`, async () => {
        const client = await Client.connect(daemon);
        const wrong = [];
        for (const [text, code, id = null] of messages) {
            ++count;
            const began = Date.now();
            const answer = await client.exchange(text).catch((problem) => ({ error: { code: problem.message } }));
            const took = Date.now() - began;
            if (answer.error?.code !== code || answer.id !== id || !answer.error.message) wrong.push(`${short(text)}: ${JSON.stringify(answer).slice(0, 200)} instead of ${code}, id ${id}`);
            if (answer.error?.message.length > 500) wrong.push(`${short(text)}: a message of ${answer.error.message.length} characters`);
            if (took > 1000) wrong.push(`${short(text)}: took ${took} ms`);
            if (count % 20 === 0) await healthy();
        }
        await client.close();
        assert.deepEqual(wrong, []);
    });

    test(`${items.length} bad calls are each accepted and end with their error item`, async () => {
        const client = await Client.connect(daemon);
        const wrong = [];
        for (const [params, code] of items) {
            ++count;
            const accepted = await client.exchange(call(params));
            if (!Number.isInteger(accepted.result)) { wrong.push(`${short(params)}: ${JSON.stringify(accepted).slice(0, 200)}`); continue; }
            const last = (await client.ended(accepted.result)).at(-1);
            if (![code].flat().includes(last.code)) wrong.push(`${short(params)}: ${JSON.stringify(last).slice(0, 300)} instead of ${code}`);
            if (last.message?.length > 500) wrong.push(`${short(params)}: a message of ${last.message.length} characters`);
        }
        await client.close();
        assert.deepEqual(wrong, []);
    });

    test('the same bad frames over POST get the same codes', async () => {
        const wrong = [];
        const post = async ([text, code]) => {
            ++count;
            const headers = [`Host: 127.0.0.1:${daemon.port}`, 'Content-Type: application/json', ...(text ? [] : ['Content-Length: 0'])];
            const response = await http(daemon.port, { method: 'POST', path: '/rpc', headers, body: text });
            const answer = response.status === 200 ? JSON.parse(response.body) : response;
            if (answer.error?.code !== code) wrong.push(`${short(text)}: ${JSON.stringify(answer).slice(0, 200)} instead of ${code}`);
        };
        // Unsubscribing makes no sense over HTTP; there it is an unknown method.
        for (const one of messages.filter(([text]) => !text.includes('_unsub') && text.length < 1_000_000)) await post(one);
        assert.deepEqual(wrong, []);
    });

    test('invalid UTF-8 ends the connection with 1007', async () => {
        const bad = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xfe], [0xf4, 0x90, 0x80, 0x80], [0xc3, 0x28]];
        for (const bytes of bad) {
            ++count;
            const raw = await RawSocket.connect(daemon.port);
            raw.send(frame(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.from(bytes), Buffer.from('"}')])));
            assert.equal(await raw.ending(), 1007, bytes.map((b) => b.toString(16)).join(' '));
            raw.destroy();
        }
        // In a binary frame it is only text that is no JSON.
        const raw = await RawSocket.connect(daemon.port);
        raw.send(frame(Buffer.from([0x22, 0xff, 0x22]), { opcode: 2 }));
        assert.equal(JSON.parse(await raw.message()).error.code, -32700);
        raw.destroy();
    });

    test('a batch bomb of 200 000 is refused within 100 ms of being read', async () => {
        const client = await Client.connect(daemon);
        const bomb = `[${Array(200_000).fill('{}').join()}]`;
        await client.exchange(bomb);
        const began = Date.now();
        assert.equal((await client.exchange(bomb)).error.code, -32600);
        assert.ok(Date.now() - began < 400, `${Date.now() - began} ms with a debug build on a busy machine`);
        await client.close();
    });
});

describe('HTTP requests', () => {
    const host = () => `Host: 127.0.0.1:${daemon.port}`;
    const get = (rest, path = '/') => `GET ${path} HTTP/1.1\r\n${host()}\r\n${rest}\r\n\r\n`;
    const post = (headers, body = '') => `POST /rpc HTTP/1.1\r\n${host()}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
    // bytes → statuses that are right; 0 means closed without a word
    const table = {
        'no HTTP': [() => 'hello\r\n\r\n', [400]], 'TLS hello': [() => Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 13, 10, 13, 10]), [400]], 'HTTP/0.9': [() => 'GET /\r\n\r\n', [400]],
        'HTTP/2 preface': [() => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505]], 'HTTP/3.0': [() => `GET / HTTP/3.0\r\n${host()}\r\n\r\n`, [400, 505]], '9 kB header': [() => get(`X: ${'x'.repeat(9000)}`), [431]], '1 MB header': [() => get(`X: ${'x'.repeat(1 << 20)}`), [431]],
        '9 kB target': [() => get('A: b', `/${'x'.repeat(9000)}`), [431, 414]], '1 000 headers': [() => get(Array.from({ length: 1000 }, (_, i) => `X-${i}: 123456`).join('\r\n')), [431]], 'space before colon': [() => get('X : 1'), [400]], 'no colon': [() => get('X'), [400]],
        'control in header': [() => get('X: \u0001'), [400]], 'bare LF': [() => `GET / HTTP/1.1\n${host()}\n\n`, [400]], 'NUL in target': [() => get('A: b', '/\u0000'), [400]], 'header before any': [() => `GET / HTTP/1.1\r\n X: folded\r\n${host()}\r\n\r\n`, [400]],
        'two lengths': [() => post('Content-Length: 2\r\nContent-Length: 3', '{}'), [400]], 'negative length': [() => post('Content-Length: -1'), [400]], 'length as text': [() => post('Content-Length: ten'), [400]],
        'length and chunked': [() => post('Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'), [400]], 'a length of 1 GB': [() => post(`Content-Length: ${1 << 30}`, '{}'), [413]], 'a length of 2^64': [() => post('Content-Length: 18446744073709551616', '{}'), [400, 413]],
        'a chunk of 1 GB': [() => post('Transfer-Encoding: chunked', '40000000\r\n{}'), [413]], 'a bad chunk size': [() => post('Transfer-Encoding: chunked', 'zz\r\n{}\r\n'), [400]], 'unknown encoding': [() => post('Transfer-Encoding: gzip, chunked', '0\r\n\r\n'), [200, 400, 501]],
        'upgrade without key': [() => get('Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13'), [400]], 'upgrade of version 12': [() => get('Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='), [400, 426]],
        'upgrade with a short key': [() => get('Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AA=='), [101, 400]], 'upgrade to h2c': [() => get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'), [200]],
        CONNECT: [() => `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host()}\r\n\r\n`, [400, 404, 405]], 'absolute target': [() => get('A: b', 'http://evil.example/'), [400, 403, 404]], TRACE: [() => `TRACE / HTTP/1.1\r\n${host()}\r\n\r\n`, [400, 405]],
    };
    for (const [name, [bytes, allowed]] of Object.entries(table))
        test(name, async () => {
            ++count;
            const { text, how } = await exchangeBytes(daemon.port, bytes(), { stop: (got) => got.includes('\r\n\r\n') });
            const status = Number(/^HTTP\/1\.[01] (\d+)/.exec(text)?.[1] ?? 0);
            assert.ok(allowed.includes(status), `${status} (${how}) instead of ${allowed}: ${text.slice(0, 200)}`);
            assert.ok((await healthy()) < 500);
        });

    test('requests glued together are answered one by one', async () => {
        const one = post(`Content-Length: 45`, '{"jsonrpc":"2.0","id":1,"method":"echo.ping"}');
        const { text } = await exchangeBytes(daemon.port, one.repeat(10), { stop: (got) => got.split('"pong"').length === 11 });
        assert.equal(text.split('"pong"').length, 11);
        assert.equal((await http(daemon.port, { headers: [host()] })).status, 200);
    });
});
