// An account on a memory store whose clock and ids the test holds, for tests through the package's entry point.
import { outcomeOf, refusalsOf } from '#account/testing';
import { type ContentStore, openMemoryStore, type Store } from '#store';
import { BackgroundWork } from '../background-work.js';
import type { BlobContext } from '../blob-context.js';
import { BlobError, type BlobErrorCode } from '../blob-error.js';
import { execute } from '../execute.js';
import { contentsNamedBy } from '../inspect.js';
import type { AppendConditions, Operation, Upload, WholeBlob } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { NO_CONDITIONS, type PageConditions } from '../values/conditions.js';
import { NO_PROPERTIES, type Stamp } from '../values/properties.js';

/** 2020-01-01T01:02:00Z. */
export const START = 15_778_405_200_000_000n;
export const SECOND = 10_000_000n;
export const CONTAINER = 'jobs';
export const BLOB = 'dir/one';

export interface TestAccount {
  readonly time: { now: bigint };
  readonly store: Store;
  readonly content: ContentStore;
  readonly context: BlobContext;
  run(operation: Operation): Promise<Outcome>;
  /** Resolves when the background work is done. */
  settled(): Promise<void>;
}

/** GUIDs in the order of their making. */
export function countedIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
  };
}

export interface TestParts {
  readonly store: Store;
  readonly content: ContentStore;
}

export function accountOn(
  { store, content }: TestParts,
  time: { now: bigint },
  ids = countedIds(),
): TestAccount {
  const background = new BackgroundWork();
  const context: BlobContext = {
    store,
    content,
    account: 'account1',
    ids,
    clock: () => time.now,
    background,
  };
  return {
    time,
    store,
    content,
    context,
    run: operation => execute(operation, context),
    settled: () => background.settled(),
  };
}

/** Without a container; the clock stands still unless the test moves it. */
export function openAccount(): TestAccount {
  const time = { now: START };
  const store = openMemoryStore({ clock: () => time.now });
  return accountOn({ store, content: store.content }, time);
}

export async function openContainer(account = openAccount(), container = CONTAINER): Promise<TestAccount> {
  await account.run({ kind: 'createContainer', container, metadata: [], publicAccess: 'private' });
  return account;
}

export { outcomeOf };

const refused = refusalsOf(BlobError);

/** The refusal, which must have the code. */
export const refusalOf = (code: BlobErrorCode, running: Promise<unknown>): Promise<unknown> =>
  refused(
    code,
    running.then(() => ({ kind: 'an answer' })),
  );

export { NO_CONDITIONS };

export const NO_APPEND_CONDITIONS: AppendConditions = {
  ...NO_CONDITIONS,
  appendPosition: undefined,
  maxSize: undefined,
};

export const NO_PAGE_CONDITIONS: PageConditions = {
  ...NO_CONDITIONS,
  sequenceNumberAtMost: undefined,
  sequenceNumberBelow: undefined,
  sequenceNumberEqual: undefined,
};

export const WHOLE: WholeBlob = {
  properties: { ...NO_PROPERTIES, contentType: 'text/plain' },
  metadata: [],
  tags: [],
  tier: undefined,
  conditions: NO_CONDITIONS,
};

/** A body that comes in pieces. */
export function upload(body: string | Buffer, pieceBytes = 65_536): Upload {
  const bytes = Buffer.from(body);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return { length: bytes.length, pieces: pieces(), md5: undefined, crc64: undefined, wantsMd5: false };
}

export async function putBlob(
  { run }: TestAccount,
  blob: string,
  body: string | Buffer,
  whole: Partial<WholeBlob> = {},
): Promise<Stamp> {
  const operation = {
    kind: 'putBlockBlob',
    container: CONTAINER,
    blob,
    ...WHOLE,
    ...whole,
    upload: upload(body),
  } as const;
  return (await outcomeOf('blobPut', run(operation))).stamp;
}

export async function bytesOf(content: Buffer | AsyncIterable<Buffer>): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return Buffer.from(content);
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

export async function readBlob(
  { run }: TestAccount,
  blob: string,
  range?: readonly [from: number, until: number | undefined],
  snapshot?: bigint,
): Promise<Buffer> {
  const { content } = await outcomeOf(
    'blobContent',
    run({
      kind: 'getBlob',
      container: CONTAINER,
      blob,
      snapshot,
      range: range && { from: range[0], until: range[1] },
      conditions: NO_CONDITIONS,
    }),
  );
  return bytesOf(content);
}

export async function seen({ run }: TestAccount, blob: string, snapshot?: bigint) {
  const operation = { kind: 'getBlobProperties', container: CONTAINER, blob, snapshot } as const;
  return (await outcomeOf('blobProperties', run({ ...operation, conditions: NO_CONDITIONS }))).blob;
}

export const deleteBlob = (
  { run }: TestAccount,
  blob: string,
  snapshots?: 'include' | 'only',
  snapshot?: bigint,
): Promise<Outcome> =>
  run({
    kind: 'deleteBlob',
    container: CONTAINER,
    blob,
    snapshot,
    snapshots,
    conditions: NO_CONDITIONS,
    tierConditions: NO_CONDITIONS,
  });

export const deleteSnapshot = (account: TestAccount, blob: string, snapshot: bigint): Promise<Outcome> =>
  deleteBlob(account, blob, undefined, snapshot);

export async function takeSnapshot({ run }: TestAccount, blob: string): Promise<bigint> {
  const operation = { kind: 'snapshotBlob', container: CONTAINER, blob, metadata: undefined } as const;
  return (await outcomeOf('snapshotTaken', run({ ...operation, conditions: NO_CONDITIONS }))).snapshot;
}

/** The names of the contents of the container that no living writer holds. */
export async function contentsIn({ store, content }: TestAccount): Promise<string[]> {
  const space = await store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  const names: string[] = [];
  if (space) for await (const { id } of content.list(space)) names.push(id);
  return names;
}

/** The names of the contents that rows of the container name; those that lists of blocks name are not among them. */
export async function namedIn({ store }: TestAccount): Promise<string[]> {
  const space = await store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  const names = new Set<string>();
  const bound = Number.POSITIVE_INFINITY;
  const budget = { rows: bound, bytes: bound, examined: bound, milliseconds: bound };
  if (space)
    await store.scan(space, { from: { partition: '', key: '' } }, budget, row => {
      for (const { id } of contentsNamedBy(space, row)) names.add(id);
      return true;
    });
  return [...names];
}

/** The keys of a blob's rows. */
export async function rowsOf({ store }: TestAccount, blob: string): Promise<string[]> {
  const space = await store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  const keys: string[] = [];
  const bound = Number.POSITIVE_INFINITY;
  const budget = { rows: bound, bytes: bound, examined: bound, milliseconds: bound };
  const range = { from: { partition: blob, key: '' }, until: { partition: `${blob}\0`, key: '' } };
  if (space)
    await store.scan(space, range, budget, row => {
      keys.push(row.key);
      return true;
    });
  return keys;
}
