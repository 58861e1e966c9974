// A file of its own, because it has to wait for a real half minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Daemon, sleep } from './lib/daemon.mjs';
import { Client } from './lib/wire.mjs';

test('a ticket is good after 25 seconds and worthless after 31', async () => {
    const daemon = await Daemon.start({ auth: 'token' });
    const client = await Client.connect(daemon, { headers: { authorization: `Bearer ${daemon.token}` } });
    const [early, late] = [await client.datum('access.ticket'), await client.datum('access.ticket')];
    await sleep(25_000);
    await (await Client.connect(daemon, { path: `/?ticket=${early.ticket}` })).close();
    await sleep(6_000);
    await assert.rejects(Client.connect(daemon, { path: `/?ticket=${late.ticket}` }), (error) => error.status === 401);
    await client.close();
    await daemon.stop();
});
