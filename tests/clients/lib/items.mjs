// The rules every stream item must keep (wire.md: stream items, endings, validator). Returns what is wrong.
const types = new Set(['data', 'progress', 'error', 'request', 'done']);
const codes = new Set(['-32601', '-32602', '-32001', '-32003', '-32029', '-32000']);
const itemKeys = {
    data: ['type', 'metadata', 'content_type', 'content'],
    progress: ['type', 'metadata', 'message', 'percentage'],
    error: ['type', 'metadata', 'message', 'code', 'recoverable', 'reason', 'data'],
    request: ['type', 'metadata', 'requestId', 'request_id', 'requestData', 'request', 'timeoutMs', 'timeout'],
    done: ['type', 'metadata'],
};
const isText = (value) => typeof value === 'string' && value.length > 0;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function* metadataProblems(metadata) {
    if (!isObject(metadata)) return yield 'no metadata';
    const { provenance, plexus_hash: hash, timestamp } = metadata;
    if (!Array.isArray(provenance) || provenance.length === 0 || !provenance.every(isText))
        yield `provenance ${JSON.stringify(provenance)}`;
    if (!/^[0-9a-f]{16}$/.test(hash)) yield `plexus_hash ${JSON.stringify(hash)}`;
    if (!Number.isInteger(timestamp) || timestamp <= 0 || timestamp > 10_000_000_000) yield `timestamp ${timestamp}`;
}

function* requestProblems(item) {
    if (item.requestId !== item.request_id) yield 'the two request ids differ';
    if (!uuid4.test(item.request_id)) yield `request_id ${item.request_id} is no v4 UUID`;
    if (JSON.stringify(item.request) !== JSON.stringify(item.requestData)) yield 'the two request bodies differ';
    if (!isText(item.request?.type)) yield 'a request without type';
    if (item.timeout !== item.timeoutMs || !Number.isInteger(item.timeout)) yield 'the two timeouts differ';
}

export function* itemProblems(item) {
    if (!isObject(item) || !types.has(item.type)) return yield `no item: ${JSON.stringify(item)}`;
    yield* metadataProblems(item.metadata);
    for (const key of Object.keys(item)) if (!itemKeys[item.type].includes(key)) yield `stray key ${key} on ${item.type}`;
    if (item.type === 'data') {
        if (!isText(item.content_type)) yield `content_type ${JSON.stringify(item.content_type)}`;
        if (!('content' in item)) yield 'data without content';
    }
    if (item.type === 'progress') {
        if (typeof item.message !== 'string') yield 'progress without message';
        const share = item.percentage;
        if ('percentage' in item && !(typeof share === 'number' && share >= 0 && share <= 100)) yield `percentage ${share}`;
    }
    if (item.type === 'error') {
        if (!isText(item.message)) yield 'error without message';
        if (!codes.has(item.code)) yield `error code ${JSON.stringify(item.code)}`;
        if (typeof item.recoverable !== 'boolean') yield 'error without recoverable';
        if (!isText(item.reason)) yield 'error without reason';
    }
    if (item.type === 'request') yield* requestProblems(item);
}

export const isTerminal = (item) => item.type === 'done' || item.type === 'error';
