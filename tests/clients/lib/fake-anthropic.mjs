#!/usr/bin/env node
// fake-anthropic.mjs: a scriptable fake of the Anthropic Messages API (no dependencies).
//
//   node fake-anthropic.mjs [--port N] [--log FILE] [--port-file FILE]
//
// Scenario selection, in order:
//   1. queue set through  POST /__control {"queue":[{"scn":"http","args":{"status":529}}, ...]}
//      (each entry answers ONE /v1/messages request that is a "main" request: it has tools or >0 user text)
//   2. marker in the newest user text that has one:   #scn NAME {json args}
//      the "step" is the number of assistant messages after that user message,
//      so tool loops are stateless (works across --resume, forks, sub-agents).
//   3. default: "context" (reports what the request's history holds; good for rewind tests)
//
// Control endpoints: POST /__control {queue,clear,defaults}, GET /__log, GET /__ping, POST /__reset
import http from 'node:http';
import fs from 'node:fs';
import crypto from 'node:crypto';

const argv = process.argv.slice(2);
const opt = (n, d) => { const i = argv.indexOf('--' + n); return i >= 0 ? argv[i + 1] : d; };
const PORT = Number(opt('port', 0));
const LOG = opt('log', '');
const PORT_FILE = opt('port-file', '');
const FULL = argv.includes('--log-full');

let queue = [];
let counters = new Map();
let log = [];
let seq = 0;

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const rid = (p) => p + crypto.randomBytes(12).toString('hex').slice(0, 24);

function textOf(content) {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.filter((b) => b && b.type === 'text').map((b) => b.text || '');
}

function parseMarker(text) {
  const m = /#scn\s+([a-zA-Z0-9_-]+)/.exec(text);
  if (!m) return null;
  let args = {};
  let rest = text.slice(m.index + m[0].length);
  const b = /^\s*\{/.exec(rest);
  if (b) {
    const start = rest.indexOf('{');
    let depth = 0, inStr = false, esc = false;
    for (let i = start; i < rest.length; i++) {
      const c = rest[i];
      if (inStr) { if (esc) esc = false; else if (c === '\\') esc = true; else if (c === '"') inStr = false; continue; }
      if (c === '"') inStr = true;
      else if (c === '{') depth++;
      else if (c === '}') { depth--; if (depth === 0) { try { args = JSON.parse(rest.slice(start, i + 1)); } catch (e) { args = { _parse_error: String(e) }; } break; } }
    }
  }
  return { scn: m[1], args };
}

function findScenario(body) {
  const msgs = body.messages || [];
  for (let i = msgs.length - 1; i >= 0; i--) {
    if (msgs[i].role !== 'user') continue;
    const texts = textOf(msgs[i].content);
    for (let k = texts.length - 1; k >= 0; k--) {
      if (texts[k].startsWith('<system-reminder>')) continue;
      const mk = parseMarker(texts[k]);
      if (mk) {
        let step = 0;
        for (let j = i + 1; j < msgs.length; j++) if (msgs[j].role === 'assistant') step++;
        return { ...mk, step, index: i };
      }
    }
  }
  return null;
}

const T = (text, o = {}) => ({ type: 'text', text, ...o });
const TH = (thinking, signature = 'EqQBCkgIfakeSignature') => ({ type: 'thinking', thinking, signature });
const TU = (name, input, id) => ({ type: 'tool_use', id: id || rid('toolu_01'), name, input });

function words(n, w = 'lorem') { const a = []; for (let i = 0; i < n; i++) a.push(w + i); return a; }

// Each scenario: (step, args, ctx) -> spec
//  spec: {blocks, stop_reason, chunk (chars per delta), delay (ms per delta), first (ms before headers),
//         http:{status, body, headers}, cut:{afterDeltas, how:'reset'|'end'}, sse_error:{afterDeltas, error}}
const S = {
  text: (s, a) => ({ blocks: [T(a.text || 'Hello from the fake API.')] }),
  context: (s, a, c) => {
    const users = (c.body.messages || []).filter((m) => m.role === 'user').flatMap((m) => textOf(m.content)).filter((t) => !t.startsWith('<system-reminder>')).map((t) => t.slice(0, 60).replace(/\n/g, ' '));
    const asst = (c.body.messages || []).filter((m) => m.role === 'assistant').length;
    return { blocks: [T(`CONTEXT users=${users.length} assistants=${asst} :: ${users.join(' | ')}`)] };
  },
  thinking: (s, a) => ({ blocks: [TH(a.thinking || 'Let me think about this. The user wants a greeting, so I will greet.'), T(a.text || 'Hello after thinking.')] }),
  redacted: () => ({ blocks: [{ type: 'redacted_thinking', data: 'RmFrZVJlZGFjdGVkVGhpbmtpbmc=' }, T('Text after redacted thinking.')] }),
  interleaved: (s) => s === 0 ? { blocks: [TH('First I will look.'), T('I will run a command.'), TU('Bash', { command: 'echo interleaved', description: 'echo' })], stop_reason: 'tool_use' }
    : { blocks: [TH('The command printed interleaved.'), T('Done: interleaved.')] },
  bash: (s, a) => s === 0 ? { blocks: [T(a.pre || 'I will run a command.'), TU('Bash', { command: a.cmd || 'echo hello-from-bash', description: a.desc || 'Run a command', ...(a.bg ? { run_in_background: true } : {}), ...(a.timeout ? { timeout: a.timeout } : {}) })], stop_reason: 'tool_use' }
    : { blocks: [T(a.post || 'The command finished.')] },
  // n sequential bash rounds
  loop: (s, a) => s < (a.n || 3) ? { blocks: [T(`Round ${s}.`), TU('Bash', { command: (a.cmd || 'echo round-{i}').replace('{i}', s), description: `round ${s}` })], stop_reason: 'tool_use' }
    : { blocks: [T('Loop done.')] },
  // endless tool loop (for --max-turns, interrupt)
  endless: (s, a) => ({ blocks: [TU('Bash', { command: `echo endless-${s}`, description: 'loop' })], stop_reason: 'tool_use' }),
  parallel: (s, a) => s === 0 ? { blocks: [T('Running three tools in parallel.'),
    TU('Bash', { command: 'sleep 0.3; echo A', description: 'A' }), TU('Bash', { command: 'echo B', description: 'B' }), TU('Read', { file_path: a.file || (process.env.FAKE_PROJECT || '.') + '/README.md' })], stop_reason: 'tool_use' }
    : { blocks: [T('All three finished.')] },
  toolerror: (s, a) => s === 0 ? { blocks: [TU('Bash', { command: a.cmd || 'echo oops >&2; exit 3', description: 'fail' })], stop_reason: 'tool_use' }
    : { blocks: [T('The command failed, as expected.')] },
  readmissing: (s) => s === 0 ? { blocks: [TU('Read', { file_path: (process.env.FAKE_PROJECT || '.') + '/does-not-exist.txt' })], stop_reason: 'tool_use' } : { blocks: [T('The file does not exist.')] },
  unknowntool: (s) => s === 0 ? { blocks: [TU('NoSuchTool', { x: 1 })], stop_reason: 'tool_use' } : { blocks: [T('No such tool.')] },
  badinput: (s) => s === 0 ? { blocks: [TU('Bash', { cmdd: 'echo wrong key' })], stop_reason: 'tool_use' } : { blocks: [T('Bad input.')] },
  badjson: (s) => s === 0 ? { blocks: [{ ...TU('Bash', {}), raw_json: '{"command": "echo broken' }], stop_reason: 'tool_use' } : { blocks: [T('Bad JSON handled.')] },
  write: (s, a) => s === 0 ? { blocks: [T('Writing the file.'), TU('Write', { file_path: a.file || (process.env.FAKE_PROJECT || '.') + '/hello.txt', content: a.content || 'hello one\n' })], stop_reason: 'tool_use' }
    : { blocks: [T('File written.')] },
  // read, then edit
  edit: (s, a) => s === 0 ? { blocks: [TU('Read', { file_path: a.file || (process.env.FAKE_PROJECT || '.') + '/hello.txt' })], stop_reason: 'tool_use' }
    : s === 1 ? { blocks: [TU('Edit', { file_path: a.file || (process.env.FAKE_PROJECT || '.') + '/hello.txt', old_string: a.from || 'one', new_string: a.to || 'two', replace_all: false })], stop_reason: 'tool_use' }
      : { blocks: [T('File edited.')] },
  todo: (s) => s === 0 ? { blocks: [TU('TodoWrite', { todos: [{ content: 'First', status: 'in_progress', activeForm: 'Doing first' }, { content: 'Second', status: 'pending', activeForm: 'Doing second' }] })], stop_reason: 'tool_use' } : { blocks: [T('Todos written.')] },
  // sub-agent: a.prompt is the sub-agent's prompt, which may carry its own #scn marker
  agent: (s, a, c) => {
    const tool = (c.body.tools || []).map((t) => t.name).find((n) => n === 'Agent' || n === 'Task') || 'Task';
    return s === 0 ? { blocks: [T('Delegating to a sub-agent.'), TU(tool, { description: a.desc || 'Do a thing', prompt: a.prompt || '#scn bash {"cmd":"echo from-subagent","post":"Sub-agent report: done."}', subagent_type: a.type || 'general-purpose', ...(a.bg !== undefined ? { run_in_background: a.bg } : {}) })], stop_reason: 'tool_use' }
      : { blocks: [T('The sub-agent finished.')] };
  },
  agents2: (s, a, c) => {
    const tool = (c.body.tools || []).map((t) => t.name).find((n) => n === 'Agent' || n === 'Task') || 'Task';
    return s === 0 ? { blocks: [T('Two sub-agents.'), TU(tool, { description: 'Agent one', prompt: '#scn bash {"cmd":"sleep 0.3; echo one","post":"Report one."}', subagent_type: 'general-purpose', ...(a.bg !== undefined ? { run_in_background: a.bg } : {}) }),
      TU(tool, { description: 'Agent two', prompt: '#scn thinking {"thinking":"sub thinking","text":"Report two."}', subagent_type: 'general-purpose', ...(a.bg !== undefined ? { run_in_background: a.bg } : {}) })], stop_reason: 'tool_use' }
      : { blocks: [T('Both sub-agents finished.')] };
  },
  long: (s, a) => ({ blocks: [T(words(a.n || 600).map((w) => w + ' ').join(''))], chunk: 'word', delay: a.delay ?? 0 }),
  slow: (s, a) => ({ blocks: [T(words(a.n || 40, 'slow').map((w) => w + ' ').join(''))], chunk: 'word', delay: a.delay ?? 100, first: a.first ?? 0 }),
  slowthinking: (s, a) => ({ blocks: [TH(words(a.n || 40, 'think').map((w) => w + ' ').join('')), T('After slow thinking.')], chunk: 'word', delay: a.delay ?? 100 }),
  stall: (s, a) => ({ blocks: [T(words(400, 'stall').join(' '))], chunk: 'word', delay: 0, stallAfter: a.after ?? 5, stallMs: a.ms ?? 600000 }),
  maxtokens: (s, a) => ({ blocks: [T('This text is cut because max tok')], stop_reason: 'max_tokens' }),
  maxtokens_once: (s, a) => s === 0 ? { blocks: [T('This text is cut because max tok')], stop_reason: 'max_tokens' } : { blocks: [T('ens was reached; continued.')] },
  refusal: () => ({ blocks: [T('I can')], stop_reason: 'refusal' }),
  refusal_empty: () => ({ blocks: [], stop_reason: 'refusal' }),
  stopseq: () => ({ blocks: [T('Stopped at a sequence')], stop_reason: 'stop_sequence' }),
  pause: (s) => s === 0 ? { blocks: [T('Pausing.')], stop_reason: 'pause_turn' } : { blocks: [T('Resumed after the pause.')] },
  empty: () => ({ blocks: [] }),
  unknownblock: () => ({ blocks: [{ type: 'hologram', payload: { a: 1 } }, T('Text after an unknown block type.')] }),
  servertool: () => ({ blocks: [{ type: 'server_tool_use', id: 'srvtoolu_01fake', name: 'web_search', input: { query: 'x' } }, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_01fake', content: [{ type: 'web_search_result', title: 'T', url: 'http://example.invalid/', encrypted_content: 'abc', page_age: null }] }, T('Search done.')] }),
  // errors: {"status":529,"times":2} fails `times` (default: always), then text
  http: (s, a, c) => {
    const k = 'http:' + JSON.stringify(a) + ':' + c.sessionKey;
    const n = (counters.get(k) || 0) + 1; counters.set(k, n);
    if (a.times !== undefined && n > a.times) return { blocks: [T(`Recovered after ${a.times} errors.`)] };
    const types = { 400: 'invalid_request_error', 401: 'authentication_error', 403: 'permission_error', 404: 'not_found_error', 413: 'request_too_large', 429: 'rate_limit_error', 500: 'api_error', 529: 'overloaded_error' };
    return { http: { status: a.status || 500, headers: a.headers || (a.retry_after !== undefined ? { 'retry-after': String(a.retry_after) } : {}), body: { type: 'error', error: { type: a.type || types[a.status] || 'api_error', message: a.message || `Fake error ${a.status}` }, request_id: rid('req_011') } } };
  },
  // cut the TCP connection in the middle of the stream
  cut: (s, a, c) => {
    const k = 'cut:' + JSON.stringify(a) + ':' + c.sessionKey;
    const n = (counters.get(k) || 0) + 1; counters.set(k, n);
    if (a.times !== undefined && n > a.times) return { blocks: [T(`Recovered after ${a.times} cuts.`)] };
    return { blocks: [T(words(50, 'cut').map((w) => w + ' ').join(''))], chunk: 'word', delay: 5, cut: { afterDeltas: a.after ?? 10, how: a.how || 'reset' } };
  },
  // an SSE "error" event in the middle of the stream
  sseerror: (s, a, c) => {
    const k = 'sse:' + JSON.stringify(a) + ':' + c.sessionKey;
    const n = (counters.get(k) || 0) + 1; counters.set(k, n);
    if (a.times !== undefined && n > a.times) return { blocks: [T(`Recovered after ${a.times} SSE errors.`)] };
    return { blocks: [T(words(50, 'sse').map((w) => w + ' ').join(''))], chunk: 'word', delay: 5, sse_error: { afterDeltas: a.after ?? 10, error: { type: a.type || 'overloaded_error', message: 'Overloaded (mid-stream)' } } };
  },
  // a tool by name with the given input (MCP tools etc.)
  tool: (s, a) => s === 0 ? { blocks: [T('Calling a tool.'), TU(a.name, a.input || {})], stop_reason: 'tool_use' } : { blocks: [T(a.post || 'Tool finished.')] },
  // a list of steps: {"steps":[[{type:text..}|{tool:name,input}], ...]}
  script: (s, a) => {
    const st = (a.steps || [])[s];
    if (!st) return { blocks: [T('Script done.')] };
    const blocks = st.map((x) => typeof x === 'string' ? T(x) : x.thinking ? TH(x.thinking) : TU(x.tool, x.input || {}));
    return { blocks, chunk: a.chunk, delay: a.delay, stop_reason: blocks.some((b) => b.type === 'tool_use') ? 'tool_use' : 'end_turn' };
  },
};

function chunks(str, chunk) {
  if (chunk === 'word') return str.match(/\S+\s*/g) || [str];
  const n = chunk || 12, out = [];
  for (let i = 0; i < str.length; i += n) out.push(str.slice(i, i + n));
  return out.length ? out : [''];
}

function usageFor(body, blocks) {
  const inTok = Math.max(3, Math.round(JSON.stringify(body.messages || []).length / 4));
  const out = Math.max(1, Math.round(JSON.stringify(blocks).length / 4));
  return { input_tokens: inTok, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: out };
}

async function streamOut(req, res, body, spec, entry) {
  const id = rid('msg_01');
  const usage = usageFor(body, spec.blocks);
  let dead = false;
  res.on('close', () => { dead = true; });
  const send = (ev) => { if (!dead && !res.destroyed) res.write(`event: ${ev.type}\ndata: ${JSON.stringify(ev)}\n\n`); };
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'request-id': entry.request_id, ...(spec.headers || {}) });
  res.flushHeaders?.();
  send({ type: 'message_start', message: { id, type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }, output_tokens: 1, service_tier: 'standard' } } });
  entry.t_first = Date.now();
  send({ type: 'ping' });
  let deltas = 0;
  const tick = async () => {
    deltas++;
    if (spec.cut && deltas >= spec.cut.afterDeltas) { entry.cut = true; if (spec.cut.how === 'end') res.end(); else res.socket.destroy(); return false; }
    if (spec.sse_error && deltas >= spec.sse_error.afterDeltas) { send({ type: 'error', error: spec.sse_error.error }); res.end(); return false; }
    if (spec.stallAfter && deltas >= spec.stallAfter) { await sleep(spec.stallMs); }
    if (spec.delay) await sleep(spec.delay);
    return !dead;
  };
  let index = 0;
  for (const b of spec.blocks) {
    if (b.type === 'text') {
      send({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
      for (const c of chunks(b.text, spec.chunk)) { send({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: c } }); if (!(await tick())) { entry.aborted = dead; return; } }
    } else if (b.type === 'thinking') {
      send({ type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } });
      for (const c of chunks(b.thinking, spec.chunk)) { send({ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: c } }); if (!(await tick())) { entry.aborted = dead; return; } }
      send({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: b.signature } });
    } else if (b.type === 'tool_use') {
      send({ type: 'content_block_start', index, content_block: { type: 'tool_use', id: b.id, name: b.name, input: {} } });
      send({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: '' } });
      for (const c of chunks(b.raw_json ?? JSON.stringify(b.input), spec.chunk === 'word' ? 20 : spec.chunk)) { send({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: c } }); if (!(await tick())) { entry.aborted = dead; return; } }
    } else {
      send({ type: 'content_block_start', index, content_block: b });
    }
    send({ type: 'content_block_stop', index });
    index++;
  }
  send({ type: 'message_delta', delta: { stop_reason: spec.stop_reason || 'end_turn', stop_sequence: null }, usage: { ...usage } });
  send({ type: 'message_stop' });
  if (!dead) res.end();
  entry.t_end = Date.now();
  entry.deltas = deltas;
}

function summarize(body) {
  return {
    model: body.model, max_tokens: body.max_tokens, stream: body.stream, thinking: body.thinking, betas: body.betas, tool_choice: body.tool_choice,
    output_config: body.output_config, context_management: body.context_management, temperature: body.temperature, metadata: body.metadata ? '(present)' : undefined,
    tools: (body.tools || []).map((t) => t.name || t.type),
    system: (Array.isArray(body.system) ? body.system : body.system ? [{ text: body.system }] : []).map((b) => ({ len: (b.text || '').length, head: (b.text || '').slice(0, 160), cache_control: b.cache_control })),
    n_messages: (body.messages || []).length,
    messages: (body.messages || []).slice(-60).map((m) => ({ role: m.role, content: typeof m.content === 'string' ? m.content.slice(0, 300) : m.content.map((b) => b.type === 'text' ? { type: 'text', text: b.text.slice(0, 300), ...(b.cache_control ? { cache_control: b.cache_control } : {}) } : b.type === 'tool_result' ? { type: b.type, tool_use_id: b.tool_use_id, is_error: b.is_error, content: JSON.stringify(b.content).slice(0, 500) } : b.type === 'tool_use' ? { type: b.type, id: b.id, name: b.name, input: b.input } : { type: b.type }) })),
  };
}

// memory keeps the last 2000 summaries only; full bodies (--log-full) go to the file alone
function record(e) { const { body, ...lean } = e; log.push(e.body ? Object.assign(e, { body: undefined }) : e); if (log.length > 2000) log.shift(); if (LOG) fs.appendFileSync(LOG, JSON.stringify(FULL ? { ...lean, body } : lean) + '\n'); }

const server = http.createServer(async (req, res) => {
  const url = new URL(req.url, 'http://x');
  let raw = '';
  for await (const c of req) raw += c;
  const json = (code, obj, h = {}) => { res.writeHead(code, { 'content-type': 'application/json', ...h }); res.end(JSON.stringify(obj)); };
  if (url.pathname.startsWith('/__')) {
    if (url.pathname === '/__ping') return json(200, { ok: true });
    if (url.pathname === '/__log') return json(200, log.slice(Number(url.searchParams.get('from') || 0)));
    if (url.pathname === '/__count') return json(200, { n: log.length });
    if (url.pathname === '/__reset') { queue = []; counters = new Map(); log = []; seq = 0; return json(200, { ok: true }); }
    if (url.pathname === '/__control') { const b = JSON.parse(raw || '{}'); if (b.clear) { queue = []; counters = new Map(); } if (b.queue) queue.push(...b.queue); return json(200, { queue: queue.length }); }
    return json(404, {});
  }
  const h = { ...req.headers }; for (const k of ['authorization', 'x-api-key']) if (h[k]) h[k] = '(redacted)';
  const entry = { seq: seq++, t: Date.now(), method: req.method, path: req.url, headers: h, request_id: rid('req_011') };
  let body = null;
  try { body = raw ? JSON.parse(raw) : null; } catch { entry.raw = raw.slice(0, 300); }
  if (url.pathname === '/v1/messages/count_tokens' && body) {
    entry.kind = 'count_tokens'; record(entry);
    return json(200, { input_tokens: Math.round(raw.length / 4) });
  }
  if (url.pathname === '/v1/messages' && req.method === 'POST' && body) {
    entry.bytes = raw.length;
    entry.summary = summarize(body);
    if (FULL) entry.body = body;
    let pick = null;
    const main = (body.tools || []).length > 0;
    if (queue.length && main) { pick = { ...queue.shift(), step: 0, from: 'queue' }; pick.args ||= {}; }
    else pick = findScenario(body);
    if (!pick) pick = { scn: 'context', args: {}, step: 0 };
    entry.scn = pick.scn; entry.step = pick.step; entry.stream = !!body.stream;
    record(entry);
    const ctx = { body, sessionKey: JSON.stringify(body.messages?.[0] || '').length + ':' + (body.metadata?.user_id || '') };
    let spec;
    try { spec = (S[pick.scn] || S.text)(pick.step, pick.args, ctx); } catch (e) { spec = { blocks: [T('scenario error ' + e)] }; }
    if (spec.http) return json(spec.http.status, spec.http.body, { 'request-id': entry.request_id, ...spec.http.headers });
    if (spec.first) await sleep(spec.first);
    if (body.stream) return streamOut(req, res, body, spec, entry).catch(() => { try { res.destroy(); } catch {} });
    if (spec.cut) { res.socket.destroy(); return; }
    const u = usageFor(body, spec.blocks);
    return json(200, { id: rid('msg_01'), type: 'message', role: 'assistant', model: body.model, content: spec.blocks.map(({ raw_json, ...b }) => b), stop_reason: spec.stop_reason || 'end_turn', stop_sequence: null, usage: u }, { 'request-id': entry.request_id });
  }
  entry.kind = 'probe'; entry.raw = raw.slice(0, 500); record(entry);
  if (req.method === 'HEAD') { res.writeHead(200); return res.end(); }
  json(404, { type: 'error', error: { type: 'not_found_error', message: 'Not found: ' + url.pathname } });
});
server.keepAliveTimeout = 60000;
server.listen(PORT, '127.0.0.1', () => {
  const p = server.address().port;
  if (PORT_FILE) fs.writeFileSync(PORT_FILE, String(p));
  console.log(`fake-anthropic on 127.0.0.1:${p}`);
});
