// The gate, from outside: Host × Origin × credential × route, modes, scopes, files, other users.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Daemon, freshStateDir, runBinary } from './lib/daemon.mjs';
import { http, RawSocket, upgradeHeaders } from './lib/raw.mjs';
import { walk } from './lib/schema.mjs';
import { Client, hub } from './lib/wire.mjs';

const scopes = ['read', 'chat', 'approve', 'admin'];
const daemons = {};
const tokens = {};
before(async () => {
    for (const mode of ['auto', 'token', 'off']) daemons[mode] = await Daemon.start({ auth: mode });
    for (const mode of ['auto', 'token', 'off']) tokens[mode] = Object.fromEntries(scopes.map((s) => [s, daemons[mode].addToken(`only-${s}`, s)]));
});
after(async () => { await Promise.all(Object.values(daemons).map((d) => d.stop())); });

const hosts = {
    ip: (p) => [`127.0.0.1:${p}`], localhost: (p) => [`localhost:${p}`], ipv6: (p) => [`[::1]:${p}`], 'upper case': (p) => [`LOCALHOST:${p}`],
    evil: () => ['evil.example'], 'evil with our port': (p) => [`evil.example:${p}`], 'trailing dot': (p) => [`localhost.:${p}`], missing: () => [],
    two: (p) => [`127.0.0.1:${p}`, `127.0.0.1:${p}`], 'two, one evil': (p) => [`127.0.0.1:${p}`, 'evil.example'], wildcard: (p) => [`0.0.0.0:${p}`], 'no port': () => ['127.0.0.1'],
    'another port': (p) => [`127.0.0.1:${p + 1}`], suffix: (p) => [`127.0.0.1:${p}.evil.example`], user: (p) => [`evil@127.0.0.1:${p}`],
    'nip.io': (p) => [`127.0.0.1.nip.io:${p}`], empty: () => [''], 'bare ::1': (p) => [`::1:${p}`], 'mapped ipv6': (p) => [`[::ffff:127.0.0.1]:${p}`], octal: (p) => [`0177.0.0.1:${p}`], decimal: (p) => [`2130706433:${p}`],
};
const goodHosts = new Set(['ip', 'localhost', 'ipv6', 'upper case']);
const origins = {
    none: () => [], own: (p) => [`http://127.0.0.1:${p}`], 'own localhost': (p) => [`http://localhost:${p}`],
    'other port': (p) => [`http://127.0.0.1:${p + 1}`], evil: () => ['http://evil.example'], null: () => ['null'], suffix: (p) => [`http://127.0.0.1:${p}.evil.example`],
    prefix: (p) => [`http://evil.example/http://127.0.0.1:${p}`], https: (p) => [`https://127.0.0.1:${p}`], 'upper case': (p) => [`HTTP://127.0.0.1:${p}`], two: (p) => [`http://127.0.0.1:${p}`, 'http://evil.example'],
    empty: () => [''], 'no port': () => ['http://127.0.0.1'], 'trailing slash': (p) => [`http://127.0.0.1:${p}/`], file: () => ['file://'], extension: () => ['chrome-extension://abcdef'],
};
const goodOrigins = new Set(['none', 'own', 'own localhost']);
const bearer = (token) => [`Authorization: Bearer ${token}`];
const credentials = {
    none: () => [], wrong: () => bearer(`plx_${'A'.repeat(43)}`), 'another scheme': () => ['Authorization: Basic cm9vdDpyb290'], 'empty bearer': () => ['Authorization: Bearer '],
    own: (d) => bearer(d.token), read: (d, t) => bearer(t.read), cookie: (d) => [`Cookie: a=b; access_token=${d.token}`], 'wrong cookie': () => ['Cookie: access_token=jwt'],
    'other cookie': () => ['Cookie: session=1'], subprotocol: (d) => [`Sec-WebSocket-Protocol: plexus.v1, base64url.bearer.authorization.plexus.${Buffer.from(d.token).toString('base64url')}`],
    'wrong subprotocol': () => [`Sec-WebSocket-Protocol: plexus.v1, base64url.bearer.authorization.plexus.${Buffer.from('plx_nobody').toString('base64url')}`],
    'token in the query': () => [],
};
const shownAndRight = new Set(['own', 'read', 'cookie', 'subprotocol']);
const shownAndWrong = new Set(['wrong', 'another scheme', 'empty bearer', 'wrong cookie', 'wrong subprotocol']);
const body = '{"jsonrpc":"2.0","id":1,"method":"echo.ping"}';
const routes = {
    ws: { path: '/', headers: upgradeHeaders, ok: 101 },
    'ws on /healthz': { path: '/healthz', headers: upgradeHeaders, ok: 200, probe: true },
    'POST /rpc': { method: 'POST', path: '/rpc', headers: () => ['Content-Type: application/json'], body, ok: 200 },
    'POST /': { method: 'POST', path: '/', headers: () => ['Content-Type: application/json'], body, ok: 200 },
    'POST /rpc as text/plain': { method: 'POST', path: '/rpc', headers: () => ['Content-Type: text/plain'], body, ok: 415 },
    'GET /': { path: '/', headers: () => [], ok: 200 },
    'GET /healthz': { path: '/healthz', headers: () => [], ok: 200, probe: true },
    'GET /readyz': { path: '/readyz', headers: () => [], ok: 200, probe: true },
    'GET /unknown': { path: '/unknown', headers: () => [], ok: 404 },
};

// The rule in one place, written from the security model and not from the code.
function expected(mode, host, origin, credential, route) {
    if (!goodHosts.has(host) || !goodOrigins.has(origin)) return [400, 403];
    if (route.probe && origin === 'none') return [200];
    if (route.ok === 415) return [415, 401];
    if (shownAndWrong.has(credential)) return [401];
    if (shownAndRight.has(credential)) return [route.ok];
    if (mode === 'off' || (mode === 'auto' && origin === 'none')) return [route.ok];
    return route.ok === 101 && origin === 'none' ? [101] : [401];  // 101: the state in which only _info is answered
}

describe('the matrix', () => {
    const cases = [];
    for (const mode of ['auto', 'token', 'off'])
        for (const route of Object.keys(routes)) {
            for (const host of Object.keys(hosts)) cases.push([mode, host, 'none', 'none', route], [mode, host, 'none', 'own', route]);
            for (const origin of Object.keys(origins)) cases.push([mode, 'ip', origin, 'none', route], [mode, 'ip', origin, 'own', route], [mode, 'ip', origin, 'cookie', route]);
            for (const credential of Object.keys(credentials)) cases.push([mode, 'ip', 'none', credential, route], [mode, 'localhost', 'own', credential, route]);
        }
    test(`${cases.length} cases give what the model says`, async () => {
        const wrong = [];
        const judge = async ([mode, host, origin, credential, name]) => {
            const daemon = daemons[mode], route = routes[name], { port } = daemon;
            const headers = [...hosts[host](port).map((h) => `Host: ${h}`), ...origins[origin](port).map((o) => `Origin: ${o}`),
                ...credentials[credential](daemon, tokens[mode]), ...route.headers()];
            const path = credential === 'token in the query' ? `${route.path}?token=${daemon.token}&access_token=${daemon.token}` : route.path;
            const answer = await http(port, { ...route, path, headers });
            const allowed = expected(mode, host, origin, credential, route);
            if (!allowed.includes(answer.status)) wrong.push(`auth=${mode} host=${host} origin=${origin} credential=${credential} ${name}: ${answer.status} instead of ${allowed}`);
            if ([401, 403].includes(answer.status) && !/^(Unauthorized|Forbidden)$/.test(answer.body)) wrong.push(`detail in a refusal: ${answer.body}`);
            if (answer.status === 401 && !/WWW-Authenticate: Bearer realm="plexus"/i.test(answer.head)) wrong.push(`401 without a challenge on ${name}`);
            if (/access-control-allow/i.test(answer.head)) wrong.push(`CORS headers on ${name}`);
            if (answer.status === 101 && credential === 'subprotocol' && !/Sec-WebSocket-Protocol: plexus\.v1\r?$/im.test(answer.head)) wrong.push('the subprotocol is not named back');
        };
        for (let i = 0; i < cases.length; i += 20) await Promise.all(cases.slice(i, i + 20).map(judge));
        assert.ok(cases.length >= 120);
        assert.deepEqual(wrong, []);
    });

    for (const [site, status] of [['cross-site', 403], ['same-site', 403], ['none', 200], ['same-origin', 200], ['Cross-Site', 403]])
        test(`Sec-Fetch-Site: ${site} on GET / is ${status}`, async () => {
            const { port } = daemons.auto;
            const headers = (extra) => [`Host: 127.0.0.1:${port}`, `Sec-Fetch-Site: ${site}`, ...extra];
            assert.equal((await http(port, { headers: headers([]) })).status, status);
            assert.equal((await http(port, { headers: headers(bearer(daemons.auto.token)) })).status, status, 'whatever token it shows');
            assert.equal((await http(port, { path: '/healthz', headers: headers([]) })).status, status);
        });
});

describe('without a credential', () => {
    test('auth=token: a WebSocket is answered only _info', async () => {
        const client = await Client.connect(daemons.token);
        assert.equal((await client.stream('_info'))[0].content.backend, hub);
        for (const [method, params] of [['echo_ping', {}], [`${hub}.call`, { method: 'echo.ping' }], [`${hub}.schema`, {}], [`${hub}.call`, { method: `${hub}.schema` }], [`${hub}.hash`, {}],
            [`${hub}.call`, { method: `${hub}.call`, params: { method: 'echo.ping' } }], ['echo.cave.wall.say', { text: 'x' }], [`${hub}.call`, { method: `${hub}.respond`, params: { request_id: 'x' } }],
            [`${hub}.call`, { method: 'nope.x' }], [`${hub}.call`, { method: 'echo.nope' }]]) {
            const items = await client.stream(method, params);
            assert.deepEqual([items.length, items[0].code, items[0].reason], [1, '-32001', 'unauthenticated'], `${method} ${JSON.stringify(params)}: ${JSON.stringify(items)}`);
            assert.match(items[0].message, /^Authentication required: /);
        }
        for (const method of [`${hub}.respond`, `${hub}.call_unsub`, 'rpc.discover'])
            assert.equal((await client.request(method, [1])).error?.code, -32001, method);
        await client.close();
    });

    test('auth=auto: the own user has read, chat and approve, not admin', async () => {
        const client = await Client.connect(daemons.auto);
        assert.deepEqual((await client.datum('access.whoami')).scopes.sort(), ['approve', 'chat', 'read']);
        await client.close();
    });

    test('another user gets only _info; with the token, everything', { skip: process.getuid() !== 0 && 'needs root to become another user' }, async () => {
        const script = `
            const s = require('net').connect(${daemons.auto.port}, '127.0.0.1'); let got = '';
            s.on('data', (b) => { got += b.toString('latin1'); }); s.on('close', () => { console.log(got); process.exit(); });
            const header = process.argv[1] || '';
            s.write('GET / HTTP/1.1\\r\\nHost: 127.0.0.1:${daemons.auto.port}\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n' + header + '\\r\\n');
            const send = (t) => { const b = Buffer.from(t); s.write(Buffer.concat([Buffer.from([0x81, 0xfe, b.length >> 8, b.length & 255, 0, 0, 0, 0]), b])); };
            const pad = ' '.repeat(126);
            setTimeout(() => { send('{"jsonrpc":"2.0","id":1,"method":"_info"}' + pad); send('{"jsonrpc":"2.0","id":2,"method":"echo_ping"}' + pad); }, 100);
            setTimeout(() => s.destroy(), 400);`;
        const as = (header) => new Promise((resolve) => execFile('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', script, '--', header],
            { cwd: '/', env: { PATH: process.env.PATH } }, (error, out, err) => resolve(out + err)));
        const stranger = await as('');
        assert.match(stranger, /"backend":"substrate"/);
        assert.match(stranger, /"code":"-32001"/);
        assert.doesNotMatch(stranger, /pong/);
        assert.match(await as(`Authorization: Bearer ${daemons.auto.token}\r\n`), /pong/);
    });
});

describe('scopes', () => {
    test('every method × every token: forbidden exactly when its scope is missing', async () => {
        const daemon = daemons.token;
        const admin = await Client.connect(daemon, { headers: { authorization: `Bearer ${daemon.token}` } });
        const methods = (await walk(admin)).flatMap(({ path, schema }) => schema.methods.filter((m) => m.name !== 'schema')
            .map((m) => ({ path: [...(path.length ? path : [hub]), m.name].join('.'), scope: m.scope })));
        assert.ok(methods.length >= 15);
        const wrong = [];
        for (const held of scopes) {
            const client = await Client.connect(daemon, { headers: { cookie: `access_token=${tokens.token[held]}` } });
            for (const { path, scope } of methods) {
                const id = await client.subscribe(`${hub}.call`, { method: path, params: {} });
                const last = (await Promise.race([client.ended(id), client.item(id, 'request').then((item) => [item])])).at(-1);
                const allowed = scope === 'open' || scope === held;
                if ((last.code === '-32003') === allowed) wrong.push(`${path} (${scope}) with ${held}: ${JSON.stringify(last)}`);
                if (!allowed && last.message !== `Forbidden: missing required scope '${scope}'`) wrong.push(last.message);
                const post = await http(daemon.port, { method: 'POST', path: '/rpc', headers: [`Host: 127.0.0.1:${daemon.port}`, 'Content-Type: application/json', ...bearer(tokens.token[held])],
                    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: path, params: {} }) });
                if ((JSON.parse(post.body).error?.code === -32003) === allowed) wrong.push(`POST ${path} (${scope}) with ${held}: ${post.body}`);
            }
            await client.close();
        }
        await admin.close();
        assert.deepEqual(wrong, []);
    });

    test('a token without read is told which scope it lacks, not to log in', async () => {
        const client = await Client.connect(daemons.token, { headers: { authorization: `Bearer ${tokens.token.approve}` } });
        const { error } = await client.request('rpc.discover');
        assert.deepEqual([error.code, error.message], [-32003, "Forbidden: missing required scope 'read'"]);
        await client.close();
    });

    test('whoever may open a stream may end it', async () => {
        for (const held of scopes) {
            const client = await Client.connect(daemons.token, { headers: { authorization: `Bearer ${tokens.token[held]}` } });
            assert.equal((await client.request(`${hub}.call_unsub`, [1])).result, false, `with ${held}: not live, but allowed to ask`);
            await client.close();
        }
    });
});

describe('tickets', () => {
    const make = async (daemon) => {
        const client = await Client.connect(daemon, { headers: { authorization: `Bearer ${daemon.token}` } });
        const content = await client.datum('access.ticket');
        assert.equal(content.type, 'ticket');
        await client.close();
        return content.ticket;
    };
    const whoami = async (path) => {
        const client = await Client.connect(daemons.token, { path });
        const content = await client.datum('access.whoami');
        await client.close();
        return content;
    };

    test('open one connection with the rights of their maker, once', async () => {
        const ticket = await make(daemons.token);
        assert.deepEqual((await whoami(`/?ticket=${ticket}`)).scopes.sort(), ['admin', 'approve', 'chat', 'read']);
        await assert.rejects(whoami(`/?ticket=${ticket}`), (error) => error.status === 401);
    });

    test('work after other parameters, and wrong ones do not', async () => {
        assert.equal((await whoami(`/?a=b&ticket=${await make(daemons.token)}`)).scopes.length, 4);
        for (const bad of ['nothing', 'plx_', `${await make(daemons.token)}x`, daemons.token])
            await assert.rejects(whoami(`/?ticket=${bad}`), (error) => error.status === 401);
    });

});

describe('files and listeners', () => {
    test('nothing is readable by others even under umask 000', async () => {
        const daemon = await Daemon.start({ umask: 0 });
        daemon.addToken('x', 'read');
        const modes = {};
        const look = (path) => {
            const facts = statSync(path);
            if (path !== join(daemon.stateDir, 'plexusd.toml')) modes[path.slice(daemon.stateDir.length) || '/'] = (facts.mode & 0o777).toString(8);
            if (facts.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
        };
        look(daemon.stateDir);
        for (const [path, mode] of Object.entries(modes)) assert.match(mode, /^[67]00$/, path);
        assert.equal(modes['/token'], '600');
        assert.equal(modes['/run/plexus.sock'], '600');
        await daemon.stop();
    });

    const refuses = async (args, prepare, pattern) => {
        const stateDir = freshStateDir();
        prepare(stateDir);
        const { code, output } = await runBinary(['--port', '0', '--state-dir', stateDir, ...args(stateDir)]);
        assert.equal(code, 2, output);
        assert.match(output, pattern);
        assert.equal(output.trim().split('\n').length, 1, `one sentence: ${output}`);
    };
    const config = (text, mode = 0o600) => (dir) => { writeFileSync(join(dir, 'c.toml'), text); chmodSync(join(dir, 'c.toml'), mode); };
    const withConfig = (dir) => ['--config', join(dir, 'c.toml')];
    const refusals = [
        ['to bind 0.0.0.0', withConfig, config('[server]\nbind = "0.0.0.0"\n'), /loopback/],
        ['to bind ::', withConfig, config('[server]\nbind = "::"\n'), /loopback/],
        ['a host name as bind', withConfig, config('[server]\nbind = "localhost"\n'), /IP address/],
        ['a config others can write', withConfig, config('', 0o666), /chmod/],
        ['an unknown key', withConfig, config('[server]\nprot = 1\n'), /prot/],
        ['bad TOML', withConfig, config('[server\n'), /line 1/],
        ['a token file others can read', () => [], (dir) => { mkdirSync(dir, { recursive: true }); writeFileSync(join(dir, 'token'), `plx_${'A'.repeat(43)}\n`); chmodSync(join(dir, 'token'), 0o644); }, /chmod 600/],
        ['an empty token file', () => [], (dir) => { writeFileSync(join(dir, 'token'), '', { mode: 0o600 }); }, /token/],
    ];
    for (const [what, args, prepare, pattern] of refusals) test(`the daemon refuses ${what}, with exit 2`, () => refuses(args, prepare, pattern));

    test('rotating the token ends what the old one opened', async () => {
        const daemon = await Daemon.start({ auth: 'token' });
        const old = daemon.token;
        const client = await Client.connect(daemon, { headers: { authorization: `Bearer ${old}` } });
        await runBinary(['token', 'rotate', '--state-dir', daemon.stateDir]);
        await assert.rejects(RawSocket.connect(daemon.port, { headers: bearer(old) }), /401/);
        (await RawSocket.connect(daemon.port, { headers: bearer(daemon.token) })).destroy();
        await client.ending(3_000);  // its sockets are closed
        await daemon.stop();
    });
});
