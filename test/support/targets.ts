// The servers that every scenario runs against: one test body, several engines. `npm test` has the engine that people run; SHELFMARK_TARGET=memory, =lmdb
// or =cassandra selects one, and SHELFMARK_LONG has the first two.
// A target starts empty and in this process; spawned-server.ts runs programs in processes of their own.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { type RunningServer, type ServeOptions, serve } from 'shelfmark';
import { dropKeyspace } from '../../packages/store-cassandra/testing/drop-keyspace.js';

interface Target {
  readonly name: string;
  /** The address of an empty store, and how it goes away. */
  open(): Promise<{ readonly store: string; discard(): Promise<void> }>;
}

const memory: Target = {
  name: 'memory',
  open: async () => ({ store: 'memory:', discard: async () => undefined }),
};

const lmdb: Target = {
  name: 'lmdb',
  open: async () => {
    const data = await mkdtemp(join(tmpdir(), 'shelfmark-scenario-'));
    return { store: `lmdb:${data}`, discard: () => rm(data, { recursive: true }) };
  },
};

/** On the node that SHELFMARK_CASSANDRA names, and only when it is asked for. */
const cassandra: Target = {
  name: 'cassandra',
  open: async () => {
    const place = `//${process.env.SHELFMARK_CASSANDRA}/scenario_${randomBytes(6).toString('hex')}?create&replicas=1`;
    return { store: `cassandra:${place}`, discard: () => dropKeyspace(place) };
  },
};

const wanted =
  process.env.SHELFMARK_TARGET ?? (process.env.SHELFMARK_LONG === undefined ? 'lmdb' : undefined);
const TARGETS =
  wanted === undefined ? [memory, lmdb] : [memory, lmdb, cassandra].filter(({ name }) => wanted === name);

export interface Subject {
  /** The server under test. It runs while tests do, not while they are declared. */
  readonly server: RunningServer;
  /** A name that no other test of this process uses. */
  newTableName(): string;
}

let names = 0;

/** Declares the same tests for every target, each with a server of its own. */
export function describeTargets(
  title: string,
  body: (subject: Subject) => void,
  options: ServeOptions = {},
): void {
  for (const target of TARGETS) {
    describe(`${title} (${target.name})`, () => {
      let server: RunningServer | undefined;
      let discard = async (): Promise<void> => undefined;
      before(async () => {
        const opened = await target.open();
        discard = opened.discard;
        server = await serve({ ...options, store: opened.store });
      });
      after(async () => {
        await server?.close();
        await discard();
      });
      body({
        get server() {
          assert(server, 'The server runs while tests do.');
          return server;
        },
        newTableName: () => `scenario${++names}`,
      });
    });
  }
}
