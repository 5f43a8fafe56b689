// Users, passwords and TLS: what is presented to a node that asks for them, and the errors if it does not fit. On nodes of its own.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { systemClock } from '#base';
import { until } from '#base/testing/until';
import { cassandraEngine } from '../../../packages/store-cassandra/cassandra-engine.js';
import { parsePlace } from '../../../packages/store-cassandra/place.js';
import { readAccess } from '../../../packages/store-cassandra/session/access.js';
import { onCluster } from '../../../packages/store-cassandra/session/session.js';
import { host as plainHost, skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { WITH_PASSWORDS, withTls } from '../../../tools/cassandra/node-files.js';
import { Authority } from '../node/certificates.js';
import { ownCluster } from '../node/own-cluster.js';

const NAMES = ['USER', 'PASSWORD', 'PASSWORD_FILE'].map(name => `SHELFMARK_CASSANDRA_${name}`);
const OPTIONS = { clock: systemClock, durability: 'full', exclusive: false } as const;

const openAt = (place: string) => cassandraEngine.open(place, OPTIONS);

const given = (user: string, password: string, file = ''): void => {
  [user, password, file].forEach((value, i) => {
    process.env[NAMES[i] ?? ''] = value;
  });
};

const isRefused = (place: string, message: RegExp): Promise<void> =>
  assert.rejects(openAt(place), { name: 'StoreError', code: 'unsupported', message });

const command = async (place: string, ...queries: readonly string[]): Promise<void> => {
  const parsed = parsePlace(place);
  const reached = { ...parsed, access: readAccess(parsed.tls) };
  const run = (): Promise<void> =>
    onCluster(reached, async ({ run }) => {
      for (const query of queries) await run(query);
    });
  let cause: unknown;
  const isDone = (): Promise<boolean> =>
    run().then(
      () => true,
      error => {
        cause = error;
        return false;
      },
    );
  // The first user is created a moment after the node listens.
  await until(queries.join('; '), isDone).catch(error => {
    throw new Error(String(error), { cause });
  });
};

/** A node that asks for passwords by TLS, while the tests around it run. */
function securedNode() {
  const cluster = ownCluster(2);
  const host = cluster.hostOf(1);
  const authority = new Authority('ca');
  const place = `//${host}/kept?create&replicas=1&tls&ca=${authority.ca}`;
  before(async () => {
    await cluster.start(1, { ...WITH_PASSWORDS, ...withTls(authority.keystores(host), false) });
    given('cassandra', 'cassandra');
    await command(place, `CREATE ROLE keeper WITH PASSWORD = 'it''s' AND LOGIN = true`);
  });
  after(() => cluster.stop());
  afterEach(() => given('', '', ''));
  return { host, authority, place };
}

describe('access by password', { skip }, () => {
  const { host, authority, place } = securedNode();

  test('access: a store is created and opened with a password, also from a file', async () => {
    given('cassandra', 'cassandra');
    await (await openAt(place)).close();
    const file = join(authority.directory, 'password');
    writeFileSync(file, 'cassandra\n');
    given('cassandra', '', file);
    const store = await openAt(place);
    assert.equal(store.tools.place, `keyspace kept at ${host}`);
    await store.close();
  });

  test('access: a user needs the permissions that scale-out.md names, and no others', async () => {
    given('cassandra', 'cassandra');
    await (await openAt(place)).close();
    given('keeper', "it's");
    await isRefused(
      place.replace('create&', ''),
      /^Cassandra refuses it: User keeper has no SELECT permission/,
    );
    given('cassandra', 'cassandra');
    await command(
      place,
      'GRANT SELECT ON KEYSPACE kept TO keeper',
      'GRANT MODIFY ON KEYSPACE kept TO keeper',
      'GRANT SELECT ON system_views.settings TO keeper',
    );
    given('keeper', "it's");
    const store = await openAt(place.replace('create&', ''));
    const space = await store.createSpace({ account: 'a', service: 'table', name: 't' }, Buffer.alloc(0));
    assert.ok(space);
    await store.close();
  });

  test('access: a wrong password, or none', async () => {
    given('cassandra', 'secret');
    await isRefused(
      place,
      /does not take the user and password of SHELFMARK_CASSANDRA_USER: [^\n]*incorrect\.$/,
    );
    await assert.rejects(openAt(place), (error: Error) => !error.message.includes('secret'));
    given('', '');
    await isRefused(place, /asks for a user and a password: give SHELFMARK_CASSANDRA_USER/);
  });
});

describe('access by TLS', { skip }, () => {
  const { host, authority, place } = securedNode();
  const stranger = new Authority('stranger');

  test('access: certificates are checked always', async () => {
    given('cassandra', 'cassandra');
    const unknown = /^The certificate of [\d.:]+ is signed by nobody who is trusted: the option ca/;
    await isRefused(`//${host}/kept?tls&ca=${stranger.ca}`, unknown);
    await isRefused(`//${host}/kept?tls`, unknown);
  });

  test('access: TLS on one side only', async () => {
    given('cassandra', 'cassandra');
    await isRefused(
      `//${plainHost}/kept?tls&ca=${authority.ca}`,
      /^[\d.:]+ does not speak TLS, which the option tls asks for\.$/,
    );
    const message = /^Cassandra cannot do it now: no host can be reached\. .*they need the option tls\.$/;
    await assert.rejects(openAt(`//${host}/kept?wait=0`), { code: 'busy', message });
  });

  test('access: a data center that does not exist', async () => {
    given('cassandra', 'cassandra');
    const message = /^The cluster has no data center west; it has datacenter1\.$/;
    await isRefused(`${place}&dataCenter=west`, message);
  });
});

describe('access by certificate', { skip }, () => {
  const cluster = ownCluster(3);
  const host = cluster.hostOf(1);
  const [authority, stranger] = [new Authority('ca'), new Authority('stranger')];
  const place = `//${host}/kept?create&replicas=1&tls&ca=${authority.ca}`;
  const shown = ({ cert, key }: { readonly cert: string; readonly key: string }): string =>
    `${place}&cert=${cert}&key=${key}`;
  before(() => cluster.start(1, withTls(authority.keystores(host), true)));
  after(() => cluster.stop());

  test('access: a node that asks for a certificate', async () => {
    await (await openAt(shown(authority.sign('client', '127.0.0.1')))).close();
    const asked = /does not accept this program, by TLS: it asks for a certificate that it trusts/;
    await isRefused(place, asked);
    await isRefused(shown(stranger.sign('client', '127.0.0.1')), asked);
  });

  test('access: a certificate of another address', async () => {
    const misnamed = ownCluster(2);
    const ca = new Authority('ca');
    await misnamed.start(1, withTls(ca.keystores('127.0.0.250'), false));
    try {
      const message =
        /^The certificate of [\d.:]+ does not name this address in subjectAltName: .*127\.0\.0\.250/;
      await isRefused(`//${misnamed.hostOf(1)}/kept?tls&ca=${ca.ca}`, message);
    } finally {
      await misnamed.stop();
    }
  });
});
