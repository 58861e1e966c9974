// Walks the hub's own description as synapse and gamma do: the root, then every child by its path.
import { hub } from './wire.mjs';

export async function walk(client, path = [], summary = undefined) {
    const schema = await client.datum(`${path.length ? path.join('.') : hub}.schema`);
    const found = [{ path, schema, summary }];
    for (const child of schema.children ?? []) found.push(...(await walk(client, [...path, child.namespace], child)));
    return found;
}
