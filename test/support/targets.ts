// The servers that every scenario runs against: one test body, several engines. `npm test` has the engine that people run; SHELFMARK_TARGET=memory or =lmdb
// selects one, and SHELFMARK_LONG has all.
// A target starts empty and in this process; spawned-server.ts runs programs in processes of their own.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { type RunningServer, type ServeOptions, serve } from 'shelfmark';

interface Target {
  readonly name: string;
  /** Where the data goes, and how it goes away. */
  open(): Promise<{ readonly data: string | undefined; discard(): Promise<void> }>;
}

const memory: Target = {
  name: 'memory',
  open: async () => ({ data: undefined, discard: async () => undefined }),
};

const lmdb: Target = {
  name: 'lmdb',
  open: async () => {
    const data = await mkdtemp(join(tmpdir(), 'shelfmark-scenario-'));
    return { data, discard: () => rm(data, { recursive: true }) };
  },
};

const wanted =
  process.env.SHELFMARK_TARGET ?? (process.env.SHELFMARK_LONG === undefined ? 'lmdb' : undefined);
const TARGETS = [memory, lmdb].filter(({ name }) => wanted === undefined || wanted === name);

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
        server = await serve({ ...options, data: opened.data });
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
