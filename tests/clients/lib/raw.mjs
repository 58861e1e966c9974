// Hand-made bytes: HTTP requests and WebSocket frames that no honest library would send.
import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';

// Sends bytes and gives everything that came back until the peer closed or `ms` passed.
export function exchangeBytes(port, bytes, { ms = 3_000, stop = () => false } = {}) {
    return new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1');
        const chunks = [];
        const finish = (how) => {
            clearTimeout(timer);
            socket.destroy();
            resolve({ text: Buffer.concat(chunks).toString('latin1'), how });
        };
        const timer = setTimeout(() => finish('timeout'), ms);
        socket.on('error', () => finish('reset'));
        socket.on('end', () => finish('closed'));
        socket.on('close', () => finish('closed'));
        socket.on('data', (chunk) => {
            chunks.push(chunk);
            if (stop(Buffer.concat(chunks).toString('latin1'))) finish('enough');
        });
        socket.on('connect', () => socket.write(bytes));
    });
}

const whole = (text) => {
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const length = /content-length: *(\d+)/i.exec(text.slice(0, end));
    return /^HTTP\/1.1 (101|204)/.test(text) || (length !== null && text.length >= end + 4 + Number(length[1]));
};

// One request with exactly these headers (an array of "Name: value"); gives status, headers and body.
export async function http(port, { method = 'GET', path = '/', headers = [], body = '', ms } = {}) {
    const lines = [`${method} ${path} HTTP/1.1`, ...headers];
    if (body) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    const { text, how } = await exchangeBytes(port, `${lines.join('\r\n')}\r\n\r\n${body}`, { ms, stop: whole });
    const status = Number(/^HTTP\/1\.[01] (\d+)/.exec(text)?.[1] ?? 0);
    const end = text.indexOf('\r\n\r\n');
    return { status, head: text.slice(0, end), body: text.slice(end + 4), how };
}

export const upgradeHeaders = () => ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`];

// One frame. `length` may lie; `mask: false` sends it bare.
export function frame(payload, { opcode = 1, fin = true, rsv = 0, mask = true, length } = {}) {
    const body = Buffer.from(payload);
    const claimed = BigInt(length ?? body.length);
    const head = [(fin ? 0x80 : 0) | (rsv << 4) | opcode];
    const masked = mask ? 0x80 : 0;
    if (claimed < 126n) head.push(masked | Number(claimed));
    else if (claimed < 65536n) head.push(masked | 126, Number(claimed >> 8n), Number(claimed & 255n));
    else {
        head.push(masked | 127);
        for (let shift = 56n; shift >= 0n; shift -= 8n) head.push(Number((claimed >> shift) & 255n));
    }
    if (!mask) return Buffer.concat([Buffer.from(head), body]);
    const key = randomBytes(4);
    for (let i = 0; i < body.length; ++i) body[i] ^= key[i & 3];
    return Buffer.concat([Buffer.from(head), key, body]);
}

// A WebSocket after its handshake, without any of a library's care.
export class RawSocket {
    static connect(port, { path = '/', headers = [] } = {}) {
        const raw = new RawSocket();
        const key = randomBytes(16).toString('base64');
        raw.expected = createHash('sha1').update(key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
        raw.buffer = Buffer.alloc(0);
        raw.messages = [];
        raw.pongs = 0;
        raw.closeCode = null;
        raw.gone = false;
        raw.waiting = new Set();
        raw.socket = net.connect(port, '127.0.0.1', () => raw.socket.write([`GET ${path} HTTP/1.1`,
            `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13',
            `Sec-WebSocket-Key: ${key}`, ...headers, '', ''].join('\r\n')));
        raw.socket.on('error', () => {});
        raw.socket.on('close', () => { raw.gone = true; raw.wake(); });
        return new Promise((resolve, reject) => {
            raw.socket.on('data', (bytes) => {
                raw.buffer = Buffer.concat([raw.buffer, bytes]);
                if (!raw.open) {
                    const end = raw.buffer.indexOf('\r\n\r\n');
                    if (end < 0) return;
                    const head = raw.buffer.subarray(0, end).toString();
                    if (!head.startsWith('HTTP/1.1 101') || !head.includes(raw.expected)) return reject(new Error(head));
                    raw.buffer = raw.buffer.subarray(end + 4);
                    raw.open = true;
                    resolve(raw);
                }
                raw.parse();
            });
            raw.socket.on('close', () => reject(new Error('closed')));
        });
    }

    parse() {
        for (;;) {
            const b = this.buffer;
            if (b.length < 2) break;
            let size = b[1] & 127, at = 2;
            if (size === 126) { if (b.length < 4) break; size = b.readUInt16BE(2); at = 4; }
            else if (size === 127) { if (b.length < 10) break; size = Number(b.readBigUInt64BE(2)); at = 10; }
            if (b.length < at + size) break;
            const payload = b.subarray(at, at + size), opcode = b[0] & 15;
            if (opcode === 8) this.closeCode = size >= 2 ? payload.readUInt16BE(0) : 1005;
            else if (opcode === 10) ++this.pongs;
            else if (opcode < 3) this.messages.push(payload.toString());
            this.buffer = b.subarray(at + size);
        }
        this.wake();
    }

    wake() { for (const retry of [...this.waiting]) retry(); }
    send(...frames) { if (!this.socket.destroyed) this.socket.write(Buffer.concat(frames)); }

    until(what, find, ms = 5_000) {
        return new Promise((resolve, reject) => {
            const retry = () => {
                const found = find();
                if (found === undefined) return;
                clearTimeout(timer);
                this.waiting.delete(retry);
                resolve(found);
            };
            const timer = setTimeout(() => { this.waiting.delete(retry); reject(new Error(`${what} did not come in ${ms} ms`)); }, ms);
            this.waiting.add(retry);
            retry();
        });
    }
    message(ms) { return this.until('a message', () => this.messages.shift(), ms); }
    // The close code, or 'cut' when the connection ended without one.
    ending(ms) { return this.until('an end', () => this.closeCode ?? (this.gone ? 'cut' : undefined), ms); }
    destroy() { this.socket.destroy(); }
}
