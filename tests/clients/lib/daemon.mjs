// Runs the real binary: port 0, a state directory of its own, gone without a trace afterwards.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const binary = process.env.PLEXUSD ?? join(here, '../../../build/dev/plexusd');

const stateDirs = [];
process.on('exit', () => stateDirs.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

export function freshStateDir() {
    stateDirs.push(mkdtempSync(join(tmpdir(), 'plexus-clients-')));
    return stateDirs.at(-1);
}

// A test that fails half way leaves its daemon behind; the file must end all the same.
const running = new Set();
after(() => setTimeout(() => { for (const daemon of running) daemon.child.kill('SIGKILL'); }, 8_000).unref());

export class Daemon {
    // options: auth, args, env, config (TOML text), stateDir, umask
    static async start(options = {}) {
        const daemon = new Daemon();
        daemon.stateDir = options.stateDir ?? freshStateDir();
        const args = ['--port', '0', '--state-dir', daemon.stateDir, ...(options.args ?? [])];
        if (options.auth) args.push('--auth', options.auth);
        const config = join(daemon.stateDir, 'plexusd.toml');
        writeFileSync(config, options.config ?? '', { mode: 0o600 });
        args.push('--config', config);
        const umask = options.umask === undefined ? undefined : process.umask(options.umask);
        daemon.child = spawn(binary, args, {
            env: { PATH: process.env.PATH, HOME: daemon.stateDir, PLEXUS_LOG_LEVEL: 'warn', ...options.env },
        });
        if (umask !== undefined) process.umask(umask);
        running.add(daemon);
        daemon.output = '';
        daemon.exited = new Promise((resolve) => daemon.child.on('exit', (code, signal) => resolve({ code, signal })));
        const ready = new Promise((resolve) => {
            const take = (bytes) => {
                daemon.output += bytes;
                const line = /plexusd ready on ws:\/\/127\.0\.0\.1:(\d+)/.exec(daemon.output);
                if (line) resolve(Number(line[1]));
            };
            daemon.child.stdout.on('data', take);
            daemon.child.stderr.on('data', take);
        });
        const outcome = await Promise.race([ready, daemon.exited, limit(20_000)]);
        assert.equal(typeof outcome, 'number', `the daemon did not get ready: ${daemon.output}`);
        daemon.port = outcome;
        return daemon;
    }

    get url() { return `ws://127.0.0.1:${this.port}`; }
    get http() { return `http://127.0.0.1:${this.port}`; }
    get token() { return readFileSync(join(this.stateDir, 'token'), 'utf8').trim(); }
    get pid() { return this.child.pid; }

    addToken(name, scopes) {
        return execFileSync(binary, ['token', 'add', name, '--scopes', scopes, '--state-dir', this.stateDir],
            { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: this.stateDir } }).trim();
    }

    rssKiB() { return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]); }
    descriptors() { return readdirSync(`/proc/${this.pid}/fd`).length; }

    // Stopping politely is part of every test: exit 0, and soon.
    async stop() {
        if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
        const outcome = await Promise.race([this.exited, limit(16_000, 'still running after 16 s')]);
        if (typeof outcome === 'string') this.child.kill('SIGKILL');
        running.delete(this);
        assert.deepEqual(outcome, { code: 0, signal: null }, `how the daemon ended: ${this.output.slice(-2000)}`);
    }
}

// For what never gets ready: runs to its end.
export async function runBinary(args, options = {}) {
    const child = spawn(binary, args, { env: { PATH: process.env.PATH, HOME: tmpdir(), PLEXUS_LOG_LEVEL: 'warn', ...options.env } });
    let output = '';
    child.stdout.on('data', (bytes) => (output += bytes));
    child.stderr.on('data', (bytes) => (output += bytes));
    const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
    const code = await new Promise((resolve) => child.on('exit', (status) => resolve(status)));
    clearTimeout(patience);
    return { code, output };
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
// To race against: does not keep the test alive.
const limit = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value).unref());

// Repeats until it is true; fails with the last value after the time is over.
export async function eventually(what, condition, ms = 5_000) {
    const end = Date.now() + ms;
    for (;;) {
        const value = await condition();
        if (value === true) return;
        if (Date.now() > end) assert.fail(`${what}: still ${JSON.stringify(value)} after ${ms} ms`);
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}
