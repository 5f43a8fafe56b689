// The servers that every scenario runs against: one test body, several engines. `npm test` uses the default engine;
// SHELFMARK_TARGET=memory, =lmdb or =cassandra selects one, and SHELFMARK_LONG uses the first two. A target starts
// empty and in this process; spawned-server.ts runs programs in processes of their own.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { type RunningServer, type ServeOptions, serve } from 'shelfmark';
import { cassandra, lmdb, memory } from './stores.js';

const wanted =
  process.env.SHELFMARK_TARGET ?? (process.env.SHELFMARK_LONG === undefined ? 'lmdb' : undefined);
const TARGETS =
  wanted === undefined ? [memory, lmdb] : [memory, lmdb, cassandra].filter(({ name }) => wanted === name);

export interface Subject {
  /** The server under test. It runs during tests, not while they are declared. */
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
