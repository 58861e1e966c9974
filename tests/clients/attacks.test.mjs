// Clients that break the WebSocket protocol, send without end, read nothing, or vanish (faults 29 to 35).
// Time limits are shortened by configuration; sizes are the real ones.
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Daemon, eventually, sleep } from './lib/daemon.mjs';
import { exchangeBytes, frame, http, RawSocket } from './lib/raw.mjs';
import { Client, hub } from './lib/wire.mjs';

const limits = { handshake_ms: 1000, idle_ms: 2000, stalled_ms: 2000 };
let daemon, witness, base;
before(async () => {
    daemon = await Daemon.start({ config: `[limits]\n${Object.entries(limits).map(([key, value]) => `${key} = ${value}`).join('\n')}\n` });
    witness = await Client.connect(daemon);
    await witness.datum('health.check');
    base = { rss: daemon.rssKiB(), descriptors: daemon.descriptors() };
});
after(async () => {
    await eventually('descriptors are back to where they were', () => daemon.descriptors() <= base.descriptors || daemon.descriptors());
    await witness.close();
    await daemon.stop();
});

const healthy = async () => {
    const began = Date.now();
    assert.equal((await witness.datum('health.check')).status, 'healthy');
    return Date.now() - began;
};
// Runs the attack while health is asked for all the time; gives what memory did.
async function under(attack) {
    let over = false, slowest = 0;
    const probing = (async () => { while (!over) { slowest = Math.max(slowest, await healthy()); await sleep(20); } })();
    const before = daemon.rssKiB();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, daemon.rssKiB())), 20);
    try { await attack(); } finally { over = true; await probing; clearInterval(watch); }
    return { slowest, grown: Math.max(peak, daemon.rssKiB()) - before };
}
const ping = frame('{"jsonrpc":"2.0","id":1,"method":"_info"}');
const MiB = 1024;

describe('broken frames end with the right close code', () => {
    const table = {
        'an unmasked frame': [() => [frame('{}', { mask: false })], 1002],
        ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((rsv) => [`reserved bits ${rsv}`, [() => [frame('{}', { rsv })], 1002]])),
        ...Object.fromEntries([3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => [`opcode ${opcode}`, [() => [frame('{}', { opcode })], 1002]])),
        'a continuation of nothing': [() => [frame('{}', { opcode: 0 })], 1002],
        'a new message within another': [() => [frame('{', { fin: false }), frame('}')], 1002],
        'a fragmented ping': [() => [frame('x', { opcode: 9, fin: false })], 1002],
        'a ping of 126 bytes': [() => [frame('x'.repeat(126), { opcode: 9 })], 1002],
        'a pong of 200 bytes': [() => [frame('x'.repeat(200), { opcode: 10 })], 1002],
        'a close of one byte': [() => [frame('x', { opcode: 8 })], 1002],
        ...Object.fromEntries([0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535].map((code) => [`close code ${code}`, [() => [frame([code >> 8, code & 255], { opcode: 8 })], code < 5000 ? 1002 : [1002, code]]])),
        'a close reason of bad UTF-8': [() => [frame([3, 232, 0xff], { opcode: 8 })], [1002, 1007]],
        'a claim of 1 GB': [() => [frame('', { length: 1n << 30n })], 1009],
        'a claim of 2^62': [() => [frame('', { length: 1n << 62n })], 1009],
        'a claim of 2^63': [() => [frame('', { length: 1n << 63n })], [1002, 1009]],
        'a claim of 10 MiB and a byte': [() => [frame('', { length: BigInt(10 * 1024 * 1024 + 1) })], 1009],
        'fragments beyond 10 MiB': [() => [frame('x'.repeat(9 << 20), { fin: false }), frame('x'.repeat(2 << 20), { opcode: 0 })], 1009],
        'bad UTF-8 in the first fragment': [() => [frame([0xff, 0xff], { fin: false })], 1007],
        'bad UTF-8 across fragments': [() => [frame([0xe2], { fin: false }), frame([0x28], { opcode: 0 })], 1007],
        'a length in too many bytes': [() => [Buffer.from([0x81, 0xfe, 0, 2, 0, 0, 0, 0, 0x7b, 0x7d])], 1002],
        'a length in far too many bytes': [() => [Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0x7b, 0x7d])], 1002],
    };
    for (const [name, [frames, code]] of Object.entries(table))
        test(`${name}: ${code}`, async () => {
            const raw = await RawSocket.connect(daemon.port);
            raw.send(...frames());
            const ended = await raw.ending();
            assert.ok([code].flat().includes(ended), `${ended}`);
            await raw.until('the end of the connection', () => raw.gone || undefined);
            assert.ok((await healthy()) < 300);
        });

    test('together they leave memory within 8 MiB of where it was, 10 MiB messages within 40', async () => {
        const { grown } = await under(async () => {
            for (let i = 0; i < 200; ++i) {
                const raw = await RawSocket.connect(daemon.port);
                raw.send(...Object.values(table)[i % 40][0]().filter((bytes) => bytes.length < 1000));
                if (i % 2) raw.destroy(); else await raw.ending().catch(() => raw.destroy());
            }
        });
        assert.ok(grown < 8 * MiB, `${grown} KiB`);
    });
});

describe('sending without end', () => {
    test('a message that never finishes is cut off', async () => {
        const raw = await RawSocket.connect(daemon.port);
        raw.send(frame('{', { fin: false }));
        let sent = 1, ended;
        raw.ending(10_000).then((code) => (ended = code));
        const { grown, slowest } = await under(async () => {
            while (!ended && sent < 8000) {
                raw.send(...Array.from({ length: 100 }, () => frame(' ', { opcode: 0, fin: false })));
                sent += 100;
                await sleep(1);
            }
            await eventually('the end', () => ended !== undefined, 5000);
        });
        assert.ok(sent < 8000, `after ${sent} fragments`);
        assert.ok([1002, 1008, 1009, 1013].includes(ended), `${ended}`);
        assert.ok(grown < 8 * MiB && slowest < 300, `${grown} KiB, ${slowest} ms`);
    });

    test('a message that trickles in a byte now and then is cut off', async () => {
        const own = await Daemon.start({ config: '[limits]\nmessage_ms = 1000\n' });
        const raw = await RawSocket.connect(own.port);
        const bytes = frame('x'.repeat(10_000));
        const began = Date.now();
        for (let i = 0; i < bytes.length && !raw.gone && Date.now() - began < 3_000; ++i) { raw.send(bytes.subarray(i, i + 1)); await sleep(50); }
        assert.ok(raw.gone, 'still open after 3 s');
        await own.stop();
    });

    test('100 000 pings neither grow memory nor hold up others', async () => {
        const raw = await RawSocket.connect(daemon.port);
        const flood = Buffer.concat(Array(1000).fill(frame('x'.repeat(100), { opcode: 9 })));
        const { grown, slowest } = await under(async () => {
            for (let i = 0; i < 100 && !raw.gone; ++i) { raw.send(flood); await sleep(1); }
            await raw.until('an end of it', () => (raw.gone || raw.pongs >= 100_000 ? true : undefined), 20_000);
        });
        assert.ok(grown < 8 * MiB && slowest < 500, `${grown} KiB, ${slowest} ms`);
        raw.destroy();
    });

    test('a ping flood by one who does not read stops being read', async () => {
        const raw = await RawSocket.connect(daemon.port);
        raw.socket.pause();
        const { grown } = await under(async () => {
            for (let i = 0; i < 200; ++i) { raw.send(Buffer.concat(Array(1000).fill(frame('x'.repeat(125), { opcode: 9 })))); await sleep(1); }
            await sleep(500);
        });
        assert.ok(grown < 8 * MiB, `${grown} KiB`);
        raw.destroy();
    });

    test('one who asks and never reads is not read either', async () => {
        const raw = await RawSocket.connect(daemon.port);
        raw.socket.pause();
        const { grown } = await under(async () => {
            const ask = frame(`{"jsonrpc":"2.0","id":1,"method":"${hub}.schema"}`);
            for (let i = 0; i < 300; ++i) { raw.send(Buffer.concat(Array(100).fill(ask))); await sleep(1); }
            await sleep(500);
        });
        assert.ok(grown < 16 * MiB, `${grown} KiB`);
        raw.destroy();
    });
});

describe('slow and silent connections', () => {
    test('a handshake that takes too long is cut off, however it trickles', async () => {
        const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nX-Slow: `;
        for (const start of ['', 'G', head]) {
            const socket = net.connect(daemon.port, '127.0.0.1');
            socket.on('error', () => {});
            let closed = false;
            socket.on('close', () => (closed = true));
            socket.resume();
            socket.write(start);
            const began = Date.now();
            while (!closed && Date.now() - began < 4000) { if (start && !socket.destroyed) socket.write('a'); await sleep(100); }
            assert.ok(closed && Date.now() - began < 2500, `${JSON.stringify(start.slice(0, 10))}: ${Date.now() - began} ms`);
        }
    });

    test('a body that trickles is cut off too', async () => {
        const { how } = await exchangeBytes(daemon.port, `POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`, { ms: 4000 });
        assert.notEqual(how, 'timeout');
    });

    test('300 slow handshakes at once do not keep others out', async () => {
        const sockets = Array.from({ length: 300 }, () => net.connect(daemon.port, '127.0.0.1').on('error', () => {}));
        sockets.forEach((socket) => socket.write('GET / HTTP/1.1\r\n'));
        await sleep(100);
        const { status } = await http(daemon.port, { path: '/healthz', headers: [`Host: 127.0.0.1:${daemon.port}`] });
        assert.ok([200, 503].includes(status), `${status}`);
        assert.ok((await healthy()) < 300, 'those who are in stay served');
        sockets.forEach((socket) => socket.destroy());
        await eventually('room again', async () => (await http(daemon.port, { path: '/healthz', headers: [`Host: 127.0.0.1:${daemon.port}`] })).status === 200 || 'refused');
    });

    test('a live client is pinged and stays; one that answers no ping is gone', async () => {
        const live = await Client.connect(daemon);
        let pings = 0;
        live.socket.on('ping', () => ++pings);
        const dead = await RawSocket.connect(daemon.port);
        await sleep(limits.idle_ms * 2 + 500);
        assert.ok(pings >= 1, `${pings} pings`);
        assert.equal(live.closed, null);
        assert.equal(dead.gone, true);
        await live.close();
    });

    test('connections beyond the limit get 503, and the limit is the configured one', async () => {
        const own = await Daemon.start({ config: '[limits]\nconnections = 20\n' });
        const inside = await Promise.all(Array.from({ length: 20 }, () => Client.connect(own)));
        await assert.rejects(Client.connect(own), (error) => error.status === 503);
        assert.equal((await inside[0].datum('health.check')).status, 'healthy');
        await inside[3].close();
        await eventually('room for one', () => Client.connect(own).then((one) => one.close()).then(() => true, (error) => error.message));
        for (const one of inside.filter((one) => !one.closed)) await one.close();
        await own.stop();
    });

    test('a storm of 2 000 connects leaves no descriptor behind', async () => {
        for (let i = 0; i < 20; ++i) {
            const sockets = await Promise.all(Array.from({ length: 100 }, () => new Promise((resolve) => {
                const socket = net.connect(daemon.port, '127.0.0.1', () => resolve(socket));
                socket.on('error', () => resolve(socket));
            })));
            sockets.forEach((socket, n) => (n % 2 ? socket.resetAndDestroy() : socket.destroy()));
        }
        await eventually('descriptors are back', () => daemon.descriptors() <= base.descriptors || daemon.descriptors());
        assert.ok((await healthy()) < 300);
    });
});

describe('readers that stop', () => {
    test('100 stalled readers of fast streams cost at most 100 MiB, slow nobody, and are closed', async () => {
        const raws = await Promise.all(Array.from({ length: 100 }, () => RawSocket.connect(daemon.port)));
        const { grown, slowest } = await under(async () => {
            for (const raw of raws) {
                raw.socket.pause();
                raw.send(frame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo_echo', params: { message: 'x'.repeat(10_000), count: 4_000_000_000, interval_ms: 0 } })));
            }
            await sleep(1500);
        });
        assert.ok(grown <= 100 * MiB * 1.5, `${grown} KiB`);  // 1 MiB each, and what malloc rounds up
        assert.ok(slowest < 1000, `health.check took ${slowest} ms`);
        await eventually('all are given up', () => daemon.descriptors() <= base.descriptors + 2 || daemon.descriptors(), limits.stalled_ms + 4000);
        raws.forEach((raw) => raw.destroy());
    });

    test('one who reads again soon misses nothing', async () => {
        const raw = await RawSocket.connect(daemon.port);
        raw.socket.pause();
        raw.send(frame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo_echo', params: { message: 'x'.repeat(1000), count: 8000, interval_ms: 0 } })));
        await sleep(500);
        raw.socket.resume();
        await raw.until('all of it', () => (raw.messages.length === 8002 ? true : undefined), 20_000);
        raw.messages.slice(1, -1).forEach((text, i) => { if (JSON.parse(text).params.result.content.count !== i + 1) assert.fail(`gap at ${i}`); });
        raw.destroy();
    });

    test('a stalled reader that looks again finds 1013, or the connection cut if no frame could reach it', async () => {
        const raw = await RawSocket.connect(daemon.port);
        raw.socket.pause();
        raw.send(frame(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo_echo', params: { message: 'x'.repeat(10_000), count: 4_000_000_000, interval_ms: 0 } })));
        await eventually('it is given up', () => daemon.descriptors() <= base.descriptors || daemon.descriptors(), limits.stalled_ms + 4000);
        raw.socket.resume();
        assert.ok([1013, 'cut'].includes(await raw.ending()));
    });
});
