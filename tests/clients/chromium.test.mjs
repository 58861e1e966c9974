// A real browser: a hostile page on another local port, and one that rebinds its name to us. Nothing gets through.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { Daemon } from './lib/daemon.mjs';
import { Client, hub } from './lib/wire.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const rebound = 'rebind.example';
let daemon, open, browser, site, sitePort, witness;

before(async () => {
    daemon = await Daemon.start();
    open = await Daemon.start({ auth: 'off' });
    site = createServer((request, response) => {
        // Cookies cross ports: what one local page sets is sent to every other local port.
        response.setHeader('Set-Cookie', `access_token=${daemon.token}; Path=/`);
        response.setHeader('Content-Type', 'text/html');
        response.end('<!doctype html><title>hostile</title>');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => site.on('listening', resolve));
    sitePort = site.address().port;
    browser = await chromium.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync', `--host-resolver-rules=MAP ${rebound} 127.0.0.1`] });
    witness = await Client.connect(daemon, { headers: { authorization: `Bearer ${daemon.token}` } });
});
after(async () => {
    await browser?.close();
    site?.close();
    await witness?.close();
    await daemon?.stop();
    await open?.stop();
});

// Runs in the page. Each gives what a script could learn, or null.
const attacks = {
    websocket: (target) => new Promise((resolve) => {
        const socket = new WebSocket(`ws://${target}/`);
        socket.onopen = () => socket.send('{"jsonrpc":"2.0","id":1,"method":"_info"}');
        socket.onmessage = (event) => resolve(`message ${event.data}`);
        socket.onerror = socket.onclose = () => resolve(null);
        setTimeout(() => resolve('silence'), 5000);
    }),
    'websocket naming our subprotocol': (target) => new Promise((resolve) => {
        const socket = new WebSocket(`ws://${target}/`, ['plexus.v1']);
        socket.onopen = () => resolve('open');
        socket.onerror = socket.onclose = () => resolve(null);
    }),
    ...Object.fromEntries(['text/plain', 'application/json', 'application/x-www-form-urlencoded'].flatMap((type) => [['cors', 'include'], ['no-cors', 'include'], ['cors', 'omit']].map(([mode, credentials]) => [
        `fetch POST ${type} ${mode} ${credentials}`,
        new Function('target', `return fetch('http://' + target + '/rpc', { method: 'POST', mode: '${mode}', credentials: '${credentials}', headers: { 'content-type': '${type}' },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'registry.register', params: { name: 'owned', host: 'evil', port: 1 } }) })
            .then((r) => r.text()).then((text) => text || null, () => null).catch(() => null)`),
    ]))),
    'fetch GET': (target) => fetch(`http://${target}/`).then((r) => r.text()).catch(() => null),
    'fetch healthz': (target) => fetch(`http://${target}/healthz`).then((r) => r.text()).catch(() => null),
    beacon: (target) => { navigator.sendBeacon(`http://${target}/rpc`, new Blob([JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'registry.register', params: { name: 'owned', host: 'evil', port: 1 } })], { type: 'text/plain' })); return null; },
    EventSource: (target) => new Promise((resolve) => {
        const source = new EventSource(`http://${target}/events`);
        source.onmessage = (event) => resolve(event.data);
        source.onerror = () => { source.close(); resolve(null); };
    }),
    'script tag': (target) => new Promise((resolve) => {
        const script = document.createElement('script');
        script.src = `http://${target}/`;
        script.onload = () => resolve('loaded');
        script.onerror = () => resolve(null);
        document.head.append(script);
    }),
    form: (target) => {
        const form = document.createElement('form');
        Object.assign(form, { method: 'POST', action: `http://${target}/rpc`, enctype: 'text/plain', target: 'sink' });
        const field = document.createElement('input');
        Object.assign(field, { name: '{"jsonrpc":"2.0","id":1,"method":"registry.register","params":{"name":"owned","host":"evil","port":1,"x":"', value: '"}}' });
        form.append(field);
        const frame = document.createElement('iframe');
        frame.name = 'sink';
        document.body.append(frame, form);
        form.submit();
        return new Promise((resolve) => setTimeout(() => resolve(null), 200));
    },
};

for (const [kind, pages] of Object.entries({
    'a page on another port': { from: () => `http://127.0.0.1:${sitePort}/`, target: (d) => `127.0.0.1:${d.port}` },
    'a page on localhost': { from: () => `http://localhost:${sitePort}/`, target: (d) => `localhost:${d.port}` },
    'a page without an origin': { from: () => 'data:text/html,<body>', target: (d) => `127.0.0.1:${d.port}` },
    'a rebound name': { from: () => `http://${rebound}:${sitePort}/`, target: (d) => `${rebound}:${d.port}` },
}))
    describe(kind, () => {
        for (const mode of ['auto', 'off'])
            test(`learns and changes nothing (auth=${mode})`, async () => {
                const context = await browser.newContext();
                const page = await context.newPage();
                await page.goto(pages.from());
                const got = {};
                for (const [name, attack] of Object.entries(attacks)) {
                    const learned = await page.evaluate(attack, pages.target(mode === 'off' ? open : daemon));
                    if (learned !== null) got[name] = learned;
                }
                assert.deepEqual(got, {});
                await context.close();
                const other = mode === 'off' ? await Client.connect(open) : witness;
                assert.deepEqual((await other.datum('registry.list')).backends.map((b) => b.name), [hub]);
                if (other !== witness) await other.close();
            });
    });

test('a page served under our own name and port by rebinding is refused as well', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const response = await page.goto(`http://${rebound}:${daemon.port}/`);
    assert.equal(response.status(), 403);
    assert.equal(await page.evaluate(attacks.websocket, `${rebound}:${daemon.port}`), null);
    await context.close();
});

test('a listed origin with the token as subprotocol does get in: the attacks above could have worked', async () => {
    const listed = await Daemon.start({ auth: 'token', config: `[server]\nallowed_origins = ["http://127.0.0.1:${sitePort}"]\n` });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${sitePort}/`);
    const said = await page.evaluate(([target, token]) => new Promise((resolve) => {
        const encoded = btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
        const socket = new WebSocket(`ws://${target}/`, ['plexus.v1', `base64url.bearer.authorization.plexus.${encoded}`]);
        socket.onopen = () => socket.send('{"jsonrpc":"2.0","id":1,"method":"echo_once","params":{"message":"hello"}}');
        socket.onmessage = (event) => { if (event.data.includes('hello')) resolve(`${socket.protocol} ${JSON.parse(event.data).params.result.content.message}`); };
        socket.onerror = () => resolve(null);
    }), [`127.0.0.1:${listed.port}`, listed.token]);
    assert.equal(said, 'plexus.v1 hello');
    await context.close();
    await listed.stop();
});
