// A small client that keeps every frame and checks each one as it comes. What breaks the protocol is kept
// in `violations` and makes close() fail, so a test cannot overlook it.
import assert from 'node:assert/strict';
import WebSocket from 'ws';
import { isTerminal, itemProblems } from './items.mjs';

export const hub = 'substrate';
const patience = 10_000;

export class Client {
    static async connect(target, options = {}) {
        const client = new Client(typeof target === 'string' ? target : target.url + (options.path ?? ''), options);
        await client.opened;
        return client;
    }

    constructor(url, options) {
        this.frames = [];       // everything that came, parsed
        this.streams = new Map();  // subscription → items
        this.responses = [];
        this.violations = [];
        this.waiting = new Set();
        this.lastId = 0;
        this.closed = null;
        this.socket = new WebSocket(url, options.protocols ?? [], { perMessageDeflate: options.deflate ?? false, maxPayload: 64 << 20,
            headers: options.headers, origin: options.origin });
        this.opened = new Promise((resolve, reject) => {
            this.socket.on('open', resolve);
            this.socket.on('error', reject);
            this.socket.on('unexpected-response', (_, response) => {
                reject(Object.assign(new Error(`HTTP ${response.statusCode}`), { status: response.statusCode }));
                response.resume();
            });
        });
        this.socket.on('message', (bytes, isBinary) => this.take(bytes, isBinary));
        this.socket.on('close', (code, reason) => {
            this.closed = { code, reason: String(reason), at: Date.now() };
            this.wake();
        });
    }

    take(bytes, isBinary) {
        if (isBinary) this.violations.push('a binary frame');
        const frame = JSON.parse(String(bytes));
        this.frames.push(frame);
        for (const part of Array.isArray(frame) ? frame : [frame]) {
            if (part.jsonrpc !== '2.0') this.violations.push(`no version: ${bytes}`);
            if ('method' in part) this.takeNotification(part);
            else this.takeResponse(part);
        }
        this.wake();
    }

    takeResponse(response) {
        if (!('id' in response) || 'result' in response === 'error' in response)
            this.violations.push(`no response: ${JSON.stringify(response)}`);
        if (response.result === null) this.violations.push('a null result');
        if (response.error && (!Number.isInteger(response.error.code) || response.error.code === -32603))
            this.violations.push(`error code ${response.error.code}`);
        if (typeof response.result === 'number') {
            const id = response.result;
            if (!Number.isSafeInteger(id) || id < 1 || this.streams.has(id)) this.violations.push(`subscription id ${id}`);
            this.streams.set(id, Object.assign([], { times: [] }));
        }
        this.responses.push(response);
    }

    takeNotification({ method, params, ...rest }) {
        const note = (text) => this.violations.push(`${text}: ${JSON.stringify(params)}`);
        if (method !== 'subscription') note(`notification called ${method}`);
        if (Object.keys(rest).join() !== 'jsonrpc') note(`stray keys ${Object.keys(rest)}`);
        if (Object.keys(params).sort().join() !== 'result,subscription') note('params hold other keys');
        for (const problem of itemProblems(params.result)) note(problem);
        const { subscription } = params;
        if (typeof subscription === 'object') return;  // the second frame of a reply to respond
        const items = this.streams.get(subscription);
        if (!items) return note('an item before its response');
        if (items.ended) note('an item after the terminal one');
        items.push(params.result);
        items.times.push(Date.now());
        items.ended ||= isTerminal(params.result);
    }

    wake() { for (const retry of [...this.waiting]) retry(); }

    // Resolves with what `find` gives as soon as that is not undefined.
    until(what, find, ms = patience) {
        return new Promise((resolve, reject) => {
            const finish = () => { clearTimeout(timer); this.waiting.delete(retry); };
            const retry = () => {
                const found = find();
                if (found === undefined) return;
                finish();
                resolve(found);
            };
            const timer = setTimeout(() => {
                finish();
                reject(new Error(`${what} did not come in ${ms} ms; last frame: ${JSON.stringify(this.frames.at(-1))?.slice(0, 300)}`));
            }, ms);
            this.waiting.add(retry);
            retry();
        });
    }

    send(frame) { this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)); }

    // Sends any text and gives the next frame that comes.
    async exchange(frame, options) {
        const from = this.frames.length;
        if (options) this.socket.send(frame, options); else this.send(frame);
        return this.until(`an answer to ${String(frame).slice(0, 100)}`, () => this.frames[from]);
    }

    response(id) { return this.until(`the response to ${id}`, () => this.responses.find((r) => r.id === id)); }

    async request(method, params) {
        const id = ++this.lastId;
        const from = this.responses.length;
        this.send({ jsonrpc: '2.0', id, method, params });
        const mine = (r) => r.id === id || r.id === null;  // null: the hub could not read the id
        return this.until(`the response to ${id}`, () => this.responses.slice(from).find(mine));
    }

    async subscribe(method, params) {
        const { result, error } = await this.request(method, params);
        assert.ok(Number.isInteger(result), `${method} is accepted, not ${JSON.stringify(error ?? result)}`);
        return result;
    }

    ended(id, ms) {
        return this.until(`the end of stream ${id}`, () => (this.streams.get(id)?.ended ? [...this.streams.get(id)] : undefined), ms);
    }
    item(id, type, ms) { return this.until(`a ${type} item`, () => this.streams.get(id)?.find((i) => i.type === type), ms); }
    items(id, count, ms) {
        return this.until(`${count} items`, () => this.streams.get(id).length >= count ? this.streams.get(id) : undefined, ms);
    }

    async stream(method, params) { return this.ended(await this.subscribe(method, params)); }
    call(method, params) { return this.stream(`${hub}.call`, params === undefined ? { method } : { method, params }); }

    // Of a call that must give one datum and end well.
    async datum(method, params) {
        const items = await this.call(method, params);
        assert.deepEqual(items.map((i) => i.type), ['data', 'done'], `${method}: ${JSON.stringify(items.at(-1))}`);
        return items[0].content;
    }

    ending(ms) { return this.until('the close', () => this.closed ?? undefined, ms); }

    async close() {
        this.socket.close();
        await this.ending();
        assert.deepEqual(this.violations, []);
    }
}
