// Clients that were not written for Plexus, used as their own documentation says.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WsProvider, HttpProvider } from '@polkadot/rpc-provider';
import { JSONRPCClient, JSONRPCServer, JSONRPCServerAndClient } from 'json-rpc-2.0';
import { Client as RpcClient } from 'rpc-websockets';
import WebSocket, { createWebSocketStream } from 'ws';
import { Daemon, eventually } from './lib/daemon.mjs';
import { isTerminal, itemProblems } from './lib/items.mjs';

let daemon;
before(async () => { daemon = await Daemon.start(); });
after(async () => { await daemon.stop(); });

const three = { message: 'hi', count: 3, interval_ms: 1 };
const valid = (item) => { assert.deepEqual([...itemProblems(item)], []); return item; };

describe('rpc-websockets', () => {
    let client;
    before(async () => {
        client = new RpcClient(daemon.url, { reconnect: false });
        await new Promise((resolve, reject) => { client.on('open', resolve); client.on('error', reject); });
    });
    after(() => client.close());

    const collect = () => {
        const items = [];
        let finish;
        const ended = new Promise((resolve) => (finish = resolve));
        const take = ({ subscription, result }) => { items.push([subscription, valid(result)]); if (isTerminal(result)) finish(); };
        client.on('subscription', take);
        return { items, ended: ended.then(() => client.removeListener('subscription', take)) };
    };

    test('calls and receives a stream as events', async () => {
        const { items, ended } = collect();
        const id = await client.call('substrate.call', { method: 'echo.echo', params: three });
        await ended;
        assert.deepEqual(items.map(([sub, item]) => [sub, item.content?.count ?? item.type]), [[id, 1], [id, 2], [id, 3], [id, 'done']]);
    });

    test('calls with positional parameters', async () => {
        const { items, ended } = collect();
        await client.call('echo_once', ['hello']);
        await ended;
        assert.equal(items[0][1].content.message, 'hello');
    });

    test('unsubscribes', async () => {
        const id = await client.call('echo_echo', { ...three, count: 100_000 });
        assert.equal(await client.call('echo_unsubscribe_echo', [id]), true);
        assert.equal(await client.call('echo_unsubscribe_echo', [id]), false);
    });

    test('rejects what does not exist with its code', async () => {
        await assert.rejects(client.call('nobody.knows', {}), (error) => error.code === -32601);
    });

    test('sends notifications without disturbing anything', async () => {
        await client.notify('echo_ping');
        assert.equal((await client.call('rpc.discover')).openrpc, '1.2.6');
    });
});

describe('@polkadot/rpc-provider over WebSocket', () => {
    let provider;
    before(async () => { provider = new WsProvider(daemon.url, false, {}, 5_000); await provider.connect(); await provider.isReady; });
    after(() => provider.disconnect());

    test('subscribes with its positional object and unsubscribes with [id]', async () => {
        const items = [];
        const id = await provider.subscribe('subscription', 'substrate.call', [{ method: 'echo.echo', params: three }], (error, item) => items.push(error ?? item));
        await eventually('the end of the stream', () => items.some(isTerminal) || items.length);
        assert.deepEqual(items.map((item) => valid(item).content?.count ?? item.type), [1, 2, 3, 'done']);
        assert.equal(typeof id, 'number');
        assert.equal(await provider.unsubscribe('subscription', 'substrate.call_unsub', id), false, 'it had ended');
    });

    test('cancels a running stream', async () => {
        const items = [];
        const id = await provider.subscribe('subscription', 'echo_echo', [{ ...three, count: 100_000 }], (_, item) => items.push(item));
        await eventually('some items', () => items.length > 2 || items.length);
        assert.equal(await provider.unsubscribe('subscription', 'echo_unsubscribe_echo', id), true);
        assert.ok(!items.some(isTerminal));
    });

    test('gets typed errors', async () => {
        await assert.rejects(provider.send('nobody_knows', []), (error) => error.code === -32601);
    });
});

test('@polkadot/rpc-provider over HTTP', async () => {
    const provider = new HttpProvider(`${daemon.http}/rpc`);
    assert.equal((await provider.send('echo_once', ['hi'])).message, 'hi');
    assert.equal((await provider.send('substrate.call', [{ method: 'health.check' }])).status, 'healthy');
    await assert.rejects(provider.send('echo_echo', [three]), (error) => /WebSocket/.test(error.message));
});

describe('json-rpc-2.0', () => {
    test('receives a stream by addMethod', async () => {
        const socket = new WebSocket(daemon.url);
        await new Promise((resolve) => socket.on('open', resolve));
        const peer = new JSONRPCServerAndClient(new JSONRPCServer(), new JSONRPCClient((request) => { socket.send(JSON.stringify(request)); }));
        socket.on('message', (bytes) => peer.receiveAndSend(JSON.parse(bytes)));
        const items = [];
        peer.addMethod('subscription', ({ subscription, result }) => { items.push([subscription, valid(result)]); });
        const id = await peer.request('substrate.call', { method: 'echo.echo', params: three });
        await eventually('the end of the stream', () => items.length === 4 || items.length);
        assert.deepEqual(items.map(([sub, item]) => [sub, item.type]), [[id, 'data'], [id, 'data'], [id, 'data'], [id, 'done']]);
        await assert.rejects(async () => peer.request('nobody'), (error) => error.code === -32601);
        socket.close();
    });

    test('works over HTTP, batches included', async () => {
        const client = new JSONRPCClient(async (body) => {
            const response = await fetch(`${daemon.http}/rpc`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
            if (response.status === 200) client.receive(await response.json());
            else assert.equal(response.status, 204);
        });
        assert.equal((await client.request('echo.once', { message: 'x' })).message, 'x');
        const answers = await client.requestAdvanced([{ jsonrpc: '2.0', id: 1, method: 'echo.ping' }, { jsonrpc: '2.0', id: 2, method: 'nobody' }]);
        assert.deepEqual(answers.map((a) => a.result?.type ?? a.error.code), ['pong', -32601]);
        client.notify('echo.ping');
    });
});

describe('ws', () => {
    test('as a Node stream', async () => {
        const socket = new WebSocket(daemon.url);
        const stream = createWebSocketStream(socket, { encoding: 'utf8', readableObjectMode: true });
        stream.write('{"jsonrpc":"2.0","id":1,"method":"_info"}');
        const seen = [];
        for await (const text of stream) {
            seen.push(JSON.parse(text));
            if (seen.length === 3) break;
        }
        assert.deepEqual(seen.map((f) => f.id ?? f.params.result.type), [1, 'data', 'done']);
        socket.terminate();
    });

    for (const code of [1000, 1001, 3000, 4999])
        test(`close ${code} is answered by the same code`, async () => {
            const socket = new WebSocket(daemon.url);
            await new Promise((resolve) => socket.on('open', resolve));
            const closed = new Promise((resolve) => socket.on('close', (answered, reason) => resolve([answered, String(reason)])));
            socket.close(code, 'Client disconnect');
            assert.equal((await closed)[0], code);
        });
});
