// The OpenRPC document, judged by OpenRPC's own tools. Methods that stream are left out of the coverage run by
// `x-streaming`, and those that ask back by the refusal they give: neither exists over HTTP.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Daemon } from './lib/daemon.mjs';
import { walk } from './lib/schema.mjs';
import { Client, hub } from './lib/wire.mjs';

const require = createRequire(import.meta.url);
const { parseOpenRPCDocument, validateOpenRPCDocument } = require('@open-rpc/schema-utils-js');
const cover = require('@open-rpc/test-coverage').default;
const FakerRule = require('@open-rpc/test-coverage/build/rules/json-schema-faker-rule').default;

let daemon, client, document;
before(async () => {
    daemon = await Daemon.start({ auth: 'off' });
    client = await Client.connect(daemon);
    document = (await client.request('rpc.discover')).result;
});
after(async () => { await client.close(); await daemon.stop(); });

test('the document is valid', () => {
    assert.equal(document.openrpc, '1.2.6');
    assert.equal(validateOpenRPCDocument(document), true);
});

test('a broken document is not: the validator is awake', () => {
    assert.notEqual(validateOpenRPCDocument({ ...document, methods: [{ name: 5 }] }), true);
});

test('it lists every method of the live schema, once, with its scope', async () => {
    const listed = document.methods.map((method) => method.name);
    const expected = (await walk(client)).flatMap(({ path, schema }) => schema.methods
        .filter((m) => m.role?.kind !== 'dynamic_child' && m.name !== 'schema')
        .map((m) => [...(path.length ? path : [hub]), m.name].join('.')));
    assert.deepEqual([...listed].sort(), expected.sort());
    assert.ok(document.methods.every((m) => ['open', 'agent', 'read', 'chat', 'approve', 'admin'].includes(m['x-scope'])));
});

test('every reference resolves', async () => {
    const whole = await parseOpenRPCDocument(JSON.parse(JSON.stringify(document)));
    assert.ok(!JSON.stringify(whole.methods).includes('"$ref"'));
});

// Generated parameters fit the schema but name nothing that exists, so a refusal about *that* is right;
// a refusal about their form would mean that the schema does not tell the truth.
const refusals = new Set(['not_found', 'activation_not_found', 'dangling_handle', 'handle_not_resolvable', 'already_exists', 'conflict', 'unknown_request', 'unsupported']);
class HonestRule extends FakerRule {
    validateCall(call) {
        if (!call.error) return super.validateCall(call);
        call.refused = call.error.data?.reason;
        call.valid = refusals.has(call.refused);
        call.reason = JSON.stringify([call.params, call.error]).slice(0, 500);
        return call;
    }
}

const plain = async () => {
    const whole = await parseOpenRPCDocument({ ...JSON.parse(JSON.stringify(document)), servers: [{ url: `${daemon.http}/rpc` }] });
    // Generated ids name nothing, and some methods wait for people: trees, sessions and approvals have tests of their own.
    const needsData = /^(arbor|claudecode|loopback|store)\./;
    return { ...whole, methods: whole.methods.filter((method) => !method['x-streaming'] && !needsData.test(method.name)) };
};

test('test-coverage: generated calls over POST /rpc give what the document promises', async () => {
    const calls = await cover({ openrpcDocument: await plain(), transport: 'http', reporters: ['empty'], rules: [new HonestRule({ numCalls: 5 })] });
    assert.deepEqual(calls.filter((call) => !call.valid).map((call) => `${call.methodName}: ${call.reason ?? call.requestError}`), []);
    const answered = new Set(calls.filter((call) => call.result !== undefined).map((call) => call.methodName));
    for (const name of ['echo.once', 'echo.ping', 'echo.cave.wall.say', 'health.check', 'registry.list', 'registry.get', 'registry.register', 'access.whoami', `${hub}.hash`])
        assert.ok(answered.has(name), `${name} was answered`);
});

test('test-coverage: its own command line ends with 0', async () => {
    const whole = await plain();
    const needsData = ['resolve_handle', 'resolve_handles', 'update', 'delete', 'confirm'];
    whole.methods = whole.methods.filter((method) => !needsData.includes(method.name.split('.').at(-1)));
    const file = join(daemon.stateDir, 'openrpc.json');
    writeFileSync(file, JSON.stringify(whole));
    const cli = require.resolve('@open-rpc/test-coverage/bin/cli.js');
    const { code, output } = await new Promise((resolve) => execFile(process.execPath, [cli, '-s', file, '--transport=http', '--reporters=console'],
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr })));
    assert.equal(code, 0, output.slice(-2000));
    assert.match(output, /passed|✓|passing|0 failed/i);
});
