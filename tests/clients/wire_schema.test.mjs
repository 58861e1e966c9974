// Endpoints, parameter forms, routing, and what the hub says about itself. Most tables are made from the live
// schema, so every activation added later is under these rules at once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Daemon, freshStateDir } from './lib/daemon.mjs';
import { walk } from './lib/schema.mjs';
import { Client, hub } from './lib/wire.mjs';

let daemon, client, plugins;
before(async () => {
    daemon = await Daemon.start({ auth: 'off' });
    client = await Client.connect(daemon);
    plugins = await walk(client);
});
after(async () => { await client.close(); await daemon.stop(); });

const types = (items) => items.map((item) => item.type).join();
const hex16 = /^[0-9a-f]{16}$/;

describe('endpoints', () => {
    // [outer method, params, content_type of the datum]
    const endpoints = [
        ['_info', undefined, '_info'], [`${hub}._info`, {}, '_info'],
        [`${hub}.schema`, {}, `${hub}.schema`], [`${hub}.schema`, undefined, `${hub}.schema`], [`${hub}.schema`, { method: 'call' }, `${hub}.schema`],
        [`${hub}.hash`, null, `${hub}.hash`], [`${hub}.hashes`, [], `${hub}.hashes`], ['plexus.schema', {}, `${hub}.schema`],
        ['plexus.hash', {}, `${hub}.hash`], ['plexus.call', { method: 'echo.ping' }, 'echo.ping'], ['health_check', {}, 'health.status'],
        ['echo_once', { message: 'x' }, 'echo.once'], ['echo.once', { message: 'x' }, 'echo.once'], [`${hub}.echo.once`, { message: 'x' }, 'echo.once'],
        ['registry_list', {}, 'registry.list'], ['echo.list_children', {}, 'list_children'], ['echo.search_children', { query: 'ca' }, 'search_children'],
        ['echo.cave.wall.say', { text: 'x' }, 'wall.say'], ['health.check', {}, 'health.status'], ['echo.cave.schema', {}, 'cave.schema'],
    ];
    for (const [method, params, contentType] of endpoints)
        test(`${method} ${JSON.stringify(params)} gives ${contentType} and one done`, async () => {
            const items = await client.stream(method, params);
            assert.equal(types(items), 'data,done', JSON.stringify(items.at(-1)));
            assert.equal(items[0].content_type, contentType);
        });

    // The same through call, which is the only way public clients use.
    const routed = [[`${hub}.schema`, `${hub}.schema`], [`${hub}.hash`, `${hub}.hash`], [`${hub}.hashes`, `${hub}.hashes`], ['echo.schema', 'echo.schema'],
        ['echo.hash', 'echo.hash'], ['echo.hashes', 'echo.hashes'], ['echo.once.schema', 'echo.schema'], ['echo.cave.hash', 'cave.hash'],
        ['echo.cave.wall.schema', 'wall.schema'], ['echo.cave.wall.say.schema', 'wall.schema'], ['echo.cave.wall.hashes', 'wall.hashes'],
        ['health.schema', 'health.schema'], ['health.hash', 'health.hash'], [`${hub}.echo.schema`, 'echo.schema'], ['plexus.echo.schema', 'echo.schema']];
    for (const [method, contentType] of routed)
        test(`call ${method} gives ${contentType}`, async () => {
            const items = await client.call(method);
            assert.equal(types(items), 'data,done', JSON.stringify(items.at(-1)));
            assert.equal(items[0].content_type, contentType);
            const expected = contentType.split('.')[0];
            assert.equal(items[0].metadata.provenance.at(-1), expected);
        });

    test('provenance names the way from the activation to the producer', async () => {
        const [item] = await client.call('echo.cave.wall.say', { text: 'x' });
        assert.deepEqual(item.metadata.provenance, ['echo', 'cave', 'wall']);
        assert.deepEqual((await client.stream('_info'))[0].metadata.provenance, [hub]);
    });

    test('call within call streams the inner items directly, 8 deep and no deeper', async () => {
        const nested = (depth) => (depth === 0 ? { method: 'echo.once', params: { message: 'deep' } } : { method: `${hub}.call`, params: nested(depth - 1) });
        for (const depth of [1, 4, 8]) {
            const [item] = await client.stream(`${hub}.call`, nested(depth));
            assert.deepEqual([item.content_type, item.content?.message], ['echo.once', 'deep'], `${depth} levels`);
        }
        const items = await client.stream(`${hub}.call`, nested(9));
        assert.equal(types(items), 'error');
        assert.equal(items[0].code, '-32602');
    });

    test('call takes [{method, params}]', async () => {
        const [item] = await client.stream(`${hub}.call`, [{ method: 'echo.once', params: { message: 'x' } }]);
        assert.equal(item.content?.message, 'x');
    });

    for (const method of ['activations', 'list', `${hub}.nothing`, 'nope_method', 'echo_nope', 'nope.nope', '', 'rpc.nope', `${hub}.`])
        test(`the outer method '${method}' does not exist: -32601`, async () => {
            const { error } = await client.request(method, {});
            assert.deepEqual([error.code, error.message], [-32601, 'Method not found']);
        });
});

describe('handles', () => {
    let said;
    before(async () => { said = await client.datum('echo.cave.wall.say', { text: 'a:b%c' }); });

    test('resolve in both forms, two levels down', async () => {
        const { handle } = said;
        const text = `${handle.plugin_id}@${handle.version}::${handle.method}:a%3Ab%25c`;
        for (const form of [handle, text])
            for (const method of [`${hub}.resolve_handle`, 'echo.resolve_handle', 'echo.cave.resolve_handle']) {
                const [item, end] = await client.call(method, { handle: form });
                assert.deepEqual([item.content_type, item.content.text, end.type], ['wall.resolve_handle', 'a:b%c', 'done']);
            }
    });

    const failures = [
        ['unparsable', () => 'nonsense', '-32602', 'invalid_handle'],
        ['of the wrong type', () => 5, '-32602', undefined],
        ['of an unknown plugin', () => ({ ...said.handle, plugin_id: '00000000-0000-5000-8000-000000000000' }), '-32601', 'activation_not_found'],
        ['of an owner that resolves nothing', () => 'echo@1.0.0::anything', '-32000', 'handle_not_resolvable'],
        ['of what is gone', () => ({ ...said.handle, method: 'forgotten' }), '-32000', 'dangling_handle'],
    ];
    for (const [name, handle, code, reason] of failures)
        test(`${name} ends with ${code} ${reason ?? ''}`, async () => {
            const items = await client.call(`${hub}.resolve_handle`, { handle: handle() });
            const last = items.at(-1);
            assert.deepEqual([last.type, last.code, reason ? last.reason : undefined], ['error', code, reason], JSON.stringify(last));
            if (items.length > 1) assert.equal(items[0].content.type, 'error', 'the datum of older clients comes first');
        });

    test('a list is answered in order, a datum for each', async () => {
        const other = await client.datum('echo.cave.wall.say', { text: 'second' });
        const items = await client.call(`${hub}.resolve_handle`, { handles: [other.handle, said.handle, other.handle] });
        assert.deepEqual(items.map((item) => item.content?.text ?? item.type), ['second', 'a:b%c', 'second', 'done'], JSON.stringify(items.at(-1)));
    });

    test('many at once come as one datum from resolve_handles', async () => {
        const other = await client.datum('echo.cave.wall.say', { text: 'second' });
        const { results } = await client.datum(`${hub}.resolve_handles`, { handles: [other.handle, said.handle, { ...said.handle, method: 'gone' }] });
        assert.deepEqual(results.map((one) => one.text ?? one.type), ['second', 'a:b%c', 'error']);
    });
});

describe('parameters', () => {
    const ok = (message) => (items) => assert.deepEqual([items[0].content?.message, items.at(-1).type], [message, 'done'], JSON.stringify(items));
    const bad = (text) => (items) => {
        assert.equal(types(items), 'error');
        assert.equal(items[0].code, '-32602');
        assert.ok(items[0].message.startsWith('Invalid params: ') && items[0].message.includes(text), items[0].message);
    };
    const forms = [
        ['echo.ping', undefined, ok()], ['echo.ping', null, ok()], ['echo.ping', {}, ok()], ['echo.ping', [], ok()], ['echo.ping', { stray: 1 }, ok()],
        ['echo.once', { message: 'a' }, ok('a')], ['echo.once', { message: 'a', stray: [1], _connection: {} }, ok('a')], ['echo.once', [{ message: 'a' }], ok('a')],
        ['echo.once', ['a'], ok('a')], ['echo.once', 'a', ok('a')], ['echo.once', {}, bad('missing field: message')], ['echo.once', null, bad('missing field: message')],
        ['echo.once', undefined, bad('missing field: message')], ['echo.once', [], bad('missing field: message')], ['echo.once', { message: null }, bad('missing field: message')],
        ['echo.once', { message: 5 }, bad('message')], ['echo.once', 5, bad('message')], ['echo.once', [5], bad('message')], ['echo.once', { message: ['a'] }, bad('message')],
        ['echo.echo', ['a', 1], ok('a')], ['echo.echo', ['a', 1, 0], ok('a')], ['echo.echo', { message: 'a', count: null, interval_ms: null }, ok('a')],
        ['echo.echo', { message: 'a' }, ok('a')], ['echo.echo', [{ message: 'a', count: 1 }], ok('a')], ['echo.echo', ['a', null, null], ok('a')],
        ['echo.echo', 'a', bad('expected object')], ['echo.echo', 5, bad('expected object')], ['echo.echo', true, bad('expected object')],
        ['echo.echo', { message: 'a', count: -1 }, bad('count')], ['echo.echo', { message: 'a', count: 1.5 }, bad('count')], ['echo.echo', { message: 'a', count: 1e20 }, bad('count')],
        ['echo.echo', { message: 'a', count: '1' }, bad('count')], ['echo.echo', { count: 1 }, bad('missing field: message')], ['echo.echo', ['a', 1, 0, 'extra'], bad('')],
        ['echo.echo', [{ count: 1 }], bad('message')],
    ];
    for (const [method, params, check] of forms)
        for (const way of ['call', 'direct']) {
            // JSON-RPC itself allows only structured outer params.
            if (way === 'direct' && params !== null && params !== undefined && typeof params !== 'object') continue;
            test(`${method} ${JSON.stringify(params)} by ${way}`, async () =>
                check(way === 'call' ? await client.call(method, params) : await client.stream(method.replace('.', '_'), params)));
        }

    test('every method with required parameters names the first that is missing', async () => {
        let checked = 0;
        for (const { path, schema } of plugins)
            for (const method of schema.methods) {
                if (!method.params?.required?.length) continue;
                const last = (await client.call([...(path.length ? path : [hub]), method.name].join('.'), {})).at(-1);
                assert.equal(last.code, '-32602', `${path}.${method.name}: ${JSON.stringify(last)}`);
                assert.ok(method.params.required.some((name) => last.message.includes(`missing field: ${name}`)), last.message);
                ++checked;
            }
        assert.ok(checked >= 5, `${checked} methods`);
    });

    test('bad params of call itself are an item too', async () => {
        for (const params of [{}, null, undefined, [], [5], { method: 5 }, { method: null }, { params: {} }, ['a', 'b', 'c', 'd']]) {
            const items = await client.stream(`${hub}.call`, params);
            assert.equal(types(items), 'error', JSON.stringify(params));
            assert.equal(items[0].code, '-32602');
        }
    });
});

describe('routing', () => {
    const wrong = [
        ['nodot', '-32602', 'invalid_method_format', 'Invalid params: Invalid method format: nodot'], ['', '-32602', 'invalid_method_format', 'Invalid params: Invalid method format: '],
        ['nope.x', '-32601', 'activation_not_found', 'Activation not found: nope'], ['echo.nope', '-32601', 'method_not_found', 'Method not found: echo.nope'],
        ['echo.nope.x', '-32601', 'activation_not_found', 'Activation not found: nope'], ['echo.cave.nope', '-32601', 'method_not_found', 'Method not found: cave.nope'],
        ['echo.cave.nope.schema', '-32601', 'activation_not_found', 'Activation not found: nope'], ['ECHO.once', '-32601', 'activation_not_found', 'Activation not found: ECHO'],
        ['echo.Once', '-32601', 'method_not_found', 'Method not found: echo.Once'], ['nope.schema', '-32601', 'activation_not_found', 'Activation not found: nope'],
        [`${hub}.nope.x`, '-32601', 'activation_not_found', 'Activation not found: nope'], ['echo.', '-32601', undefined, undefined], ['.echo', '-32601', undefined, undefined],
        ['echo..once', '-32601', undefined, undefined], ['_debug.protocol_test', '-32601', 'activation_not_found', 'Activation not found: _debug'],
    ];
    for (const [method, code, reason, message] of wrong)
        test(`'${method}' ends with ${code} ${message ?? ''}`, async () => {
            const items = await client.call(method, {});
            assert.equal(types(items), 'error');
            assert.equal(items[0].code, code);
            if (message) assert.deepEqual([items[0].reason, items[0].message.slice(0, message.length)], [reason, message]);
        });

    test('the schema of a method that does not exist ends with -32601', async () => {
        for (const [method, params] of [['echo.schema', { method: 'nope' }], [`${hub}.schema`, { method: 'nope' }]])
            assert.equal((await client.call(method, params))[0].code, '-32601');
    });
});

describe('self-description', () => {
    test('every listed child answers with its own schema, hash and hashes', async () => {
        assert.ok(plugins.length >= 6);
        for (const { path, schema, summary } of plugins) {
            const at = path.join('.') || hub;
            assert.deepEqual([schema.namespace, schema.description, schema.hash], [summary?.namespace ?? hub, summary?.description ?? schema.description, summary?.hash ?? schema.hash], at);
            assert.match(schema.version, /^\d+\.\d+\.\d+/);
            for (const key of ['hash', 'self_hash']) assert.match(schema[key], hex16, `${at} ${key}`);
            assert.equal('children' in schema, 'children_hash' in schema, `${at}: children and children_hash go together`);
            assert.notDeepEqual(schema.children, [], `${at}: a leaf omits children`);
            assert.deepEqual(await client.datum(`${at}.hash`), { event: 'hash', value: schema.hash });
            const hashes = await client.datum(`${at}.hashes`);
            assert.deepEqual([hashes.namespace, hashes.hash, hashes.self_hash, hashes.children_hash], [schema.namespace, schema.hash, schema.self_hash, schema.children_hash]);
            const names = (schema.children ?? []).map((child) => child.namespace);
            assert.deepEqual(names, [...names].sort(), `${at}: children are sorted`);
        }
    });

    test('hashes differ for every plugin, and the root hash is on every item', async () => {
        const hashes = plugins.map(({ schema }) => schema.hash);
        assert.equal(new Set(hashes).size, hashes.length);
        assert.equal((await client.stream('_info'))[0].metadata.plexus_hash, plugins[0].schema.hash);
    });

    test('hashes are unchanged by a restart', async () => {
        const stateDir = freshStateDir();
        const seen = [];
        for (let i = 0; i < 2; ++i) {
            const own = await Daemon.start({ stateDir });
            const other = await Client.connect(own);
            seen.push(JSON.stringify(await other.datum(`${hub}.hashes`)));
            await other.close();
            await own.stop();
        }
        assert.equal(seen[0], seen[1]);
        assert.deepEqual(JSON.parse(seen[0]).hash, plugins[0].schema.hash, 'nor by flags');
    });

    // What a hub offers for routing answers in forms that public clients fix, or with what others own.
    const routes = ['schema', 'call', 'hash', 'hashes', 'resolve_handle', 'resolve_handles'];
    const rules = {
        'has name, description, hash, streaming, bidirectional': (m) => typeof m.name === 'string' && m.description && m.hash && typeof m.streaming === 'boolean' && typeof m.bidirectional === 'boolean',
        'has a scope': (m) => m.name === 'schema' || ['open', 'agent', 'read', 'chat', 'approve', 'admin'].includes(m.scope),
        'has a snake_case name and parameters': (m) => [m.name, ...Object.keys(m.params?.properties ?? {})].every((name) => /^_?[a-z][a-z0-9_]*$/.test(name)),
        'has params as an object schema, required ones among them': (m) => !('params' in m) || (m.params.type === 'object' && (m.params.required ?? []).every((name) => name in m.params.properties)),
        'lists parameters in alphabetical order': (m) => JSON.stringify(Object.keys(m.params?.properties ?? {})) === JSON.stringify(Object.keys(m.params?.properties ?? {}).sort()),
        'does not demand a parameter that has a default': (m) => Object.entries(m.params?.properties ?? {}).every(([name, s]) => !('default' in s) || !(m.params.required ?? []).includes(name)),
        'returns a titled oneOf tagged by type': (m) => routes.includes(m.name) || (m.returns?.title && m.returns.oneOf?.length > 0 && m.returns.oneOf.every((v) => v.properties?.type?.const && v.required[0] === 'type')),
        'has request and response types exactly if bidirectional': (m) => m.bidirectional === 'request_type' in m && m.bidirectional === 'response_type' in m,
        'if streaming, returns at least two variants, or generated clients collect one': (m) => !m.streaming || m.name === 'call' || m.returns.oneOf.filter((v) => v.properties.type.const !== 'error').length > 1,
    };
    for (const [rule, holds] of Object.entries(rules))
        test(`every method ${rule}`, () => {
            const broken = plugins.flatMap(({ path, schema }) => schema.methods.filter((m) => !holds(m)).map((m) => [...path, m.name].join('.')));
            assert.deepEqual(broken, []);
        });

    test('every plugin ends with the synthetic schema method', () => {
        for (const { path, schema } of plugins) {
            const own = schema.methods.find((m) => m.name === 'schema');
            assert.equal(own?.hash, 'auto_schema', path.join('.'));
            assert.equal(own.description, 'Get plugin or method schema. Pass {"method": "name"} for a specific method.');
        }
    });
});
