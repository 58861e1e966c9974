// A daemon with an agent behind it: a working directory of its own, chats and their streams in a few words.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Daemon, freshStateDir } from './daemon.mjs';
import { Client } from './wire.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const fakeAgent = process.env.FAKE_AGENT ?? join(here, '../../../build/dev/fake-agent');
export const isTerminalEvent = (event) => event.type === 'complete' || event.type === 'error';
const quoted = (value) => JSON.stringify(value);

export class Agents {
    // options: binary, env (of the agents), settings (lines of [claudecode]), auth
    static async start(options = {}) {
        const agents = new Agents();
        agents.options = options;
        agents.top = freshStateDir();
        agents.work = join(agents.top, 'work');
        agents.home = join(agents.top, 'home');
        agents.state = join(agents.top, 'state');
        for (const dir of [agents.work, agents.home, agents.state]) mkdirSync(dir, { recursive: true, mode: 0o700 });
        await agents.up();
        return agents;
    }

    get config() {
        const env = { HOME: this.home, TEST_TREE: this.top, ...this.options.env };
        return ['[claudecode]', `binary = ${quoted(this.options.binary ?? fakeAgent)}`, `roots = [${quoted(this.work)}]`,
            `config_dir = ${quoted(join(this.home, '.claude'))}`, ...(this.options.settings ?? []), '[claudecode.env]',
            ...Object.entries(env).map(([name, value]) => `${name} = ${quoted(value)}`), ''].join('\n');
    }

    async up() {
        this.daemon = await Daemon.start({ stateDir: this.state, config: this.config, auth: this.options.auth });
        this.client = await Client.connect(this.daemon, { headers: this.credential });
    }
    // Of a person who may do everything.
    get credential() { return { authorization: `Bearer ${this.daemon.token}` }; }
    connect() { return Client.connect(this.daemon, { headers: this.credential }); }

    async down() {
        await this.client.close();
        await this.daemon.stop();
        assert.deepEqual(this.processes(), [], 'no process of an agent is left');
    }
    async restart() { await this.down(); await this.up(); }

    async crash() {
        this.daemon.child.kill('SIGKILL');
        await this.daemon.exited;
        await this.client.ending();
    }

    // Everything an agent started carries our mark in its environment.
    processes() {
        return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
            try {
                if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) return false;
                return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`TEST_TREE=${this.top}`);
            } catch { return false; }
        });
    }

    // "pid argument argument …" of each.
    commandLines() {
        return this.processes().flatMap((pid) => {
            try { return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]; } catch { return []; }
        });
    }

    datum(method, params) { return this.client.datum(method, params); }

    // The error a call ends with, after it was told as a datum.
    async failure(method, params) {
        const items = await this.client.call(method, params);
        const last = items.at(-1);
        assert.equal(last.type, 'error', `${method} ${quoted(params)?.slice(0, 200)} is refused, not ${quoted(items).slice(0, 300)}`);
        return last;
    }

    create(name, more = {}) {
        return this.datum('claudecode.create', { name, working_dir: this.work, model: 'sonnet', ...more });
    }

    async ask(name, prompt, more = {}) {
        const started = await this.datum('claudecode.chat_async', { name, prompt, ...more });
        assert.match(started.stream_id, /^[0-9a-f-]{36}$/, quoted(started));
        return started.stream_id;
    }

    poll(stream_id, more = {}) { return this.datum('claudecode.poll', { stream_id, limit: 1000, ...more }); }

    // Polls until `found` gives something.
    async pollUntil(stream, found, ms = 30_000) {
        const events = [];
        for (let cursor, end = Date.now() + ms; ;) {
            const page = await this.poll(stream, { wait_ms: 250, ...(cursor && { cursor }) });
            cursor = page.cursor;
            events.push(...page.events);
            const result = found(events, page);
            if (result !== undefined) return result;
            assert.ok(Date.now() < end, `stream ${stream} is ${page.status} after ${events.length} events, the last ${quoted(events.at(-1))}`);
        }
    }

    // All events of a stream, numbered without a gap and with one end; gives { status, events }.
    async finished(stream, ms) {
        const numbered = await this.pollUntil(stream, (events) =>
            (events.length && isTerminalEvent(events.at(-1).event) ? events : undefined), ms);
        assert.deepEqual(numbered.map((e) => e.seq), numbered.map((_, i) => i + 1), 'events are numbered from 1 without a gap');
        const events = numbered.map((e) => e.event);
        assert.equal(events.filter(isTerminalEvent).length, 1, 'one terminal event');
        const { status } = await this.poll(stream);
        return { stream, status, events, last: events.at(-1), text: textOf(events), types: [...new Set(events.map((e) => e.type))] };
    }

    async turn(name, prompt, more) { return this.finished(await this.ask(name, prompt, more)); }
    seen(stream, type, ms) { return this.pollUntil(stream, (events) => events.find((e) => e.event.type === type)?.event, ms); }
    async context(name, more = {}) { return (await this.datum('claudecode.render_context', { name, ...more })).messages; }
    async session(name) { return (await this.datum('claudecode.get', { name })).config; }
}

export const textOf = (events) => events.filter((e) => e.type === 'content_delta' && !e.parent_tool_use_id).map((e) => e.text).join('');
// What an API message says, in one text.
export const wordsOf = (message) => typeof message.content === 'string' ? message.content
    : message.content.map((b) => b.text ?? b.thinking ?? (b.type === 'tool_use' ? `${b.name}(${quoted(b.input)})` : quoted(b.content))).join('\n');
