// An account on a memory store whose clock and ids the test holds, for tests through the package's entry point.
import { outcomeOf, refusalsOf } from '#account/testing';
import { type ContentStore, openMemoryStore, type Row, type ScanRange, type Space, type Store } from '#store';
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

/** What most operations of tests have; also where an operation has none of it. */
const USUAL = {
  ...WHOLE,
  container: CONTAINER,
  blob: BLOB,
  snapshot: undefined,
  range: undefined,
  leaseId: undefined,
  ifTags: undefined,
  tierConditions: NO_CONDITIONS,
};

type Of<K extends Operation['kind']> = Extract<Operation, { readonly kind: K }>;

/** An operation of which a test names only what matters to it. */
export const operation = <K extends Operation['kind']>(
  kind: K,
  own: Omit<Of<K>, keyof typeof USUAL | 'kind'> & Partial<Of<K>>,
): Of<K> => ({ ...USUAL, kind, ...own }) as unknown as Of<K>;

/** The same object with some of its methods replaced. */
export const replacing = <T extends object>(object: T, methods: Partial<T>): T =>
  new Proxy(object, {
    get(target, name) {
      const member: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof member === 'function' && !(name in methods) ? member.bind(target) : member;
    },
  });

/** A body in pieces. To read one overwrites the last one, as the HTTP server does. */
export function upload(body: string | Buffer, pieceBytes = 65_536): Upload {
  const bytes = Buffer.from(body);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = Buffer.from(bytes.subarray(at, at + pieceBytes));
      yield piece;
      piece.fill(0);
    }
  }
  return { length: bytes.length, pieces: pieces(), md5: undefined, crc64: undefined, wantsMd5: false };
}

export async function putBlob(
  { run }: TestAccount,
  blob: string,
  body: string | Buffer,
  whole: Partial<WholeBlob> = {},
): Promise<Stamp> {
  const put = operation('putBlockBlob', { blob, ...whole, upload: upload(body) });
  return (await outcomeOf('blobPut', run(put))).stamp;
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
  const part = range && { from: range[0], until: range[1] };
  const get = operation('getBlob', { blob, snapshot, range: part });
  return bytesOf((await outcomeOf('blobContent', run(get))).content);
}

export async function seen({ run }: TestAccount, blob: string, snapshot?: bigint) {
  const get = operation('getBlobProperties', { blob, snapshot });
  return (await outcomeOf('blobProperties', run(get))).blob;
}

export const deleteBlob = (
  { run }: TestAccount,
  blob: string,
  snapshots?: 'include' | 'only',
  snapshot?: bigint,
): Promise<Outcome> => run(operation('deleteBlob', { blob, snapshot, snapshots }));

export const deleteSnapshot = (account: TestAccount, blob: string, snapshot: bigint): Promise<Outcome> =>
  deleteBlob(account, blob, undefined, snapshot);

export async function takeSnapshot({ run }: TestAccount, blob: string): Promise<bigint> {
  const take = operation('snapshotBlob', { blob, metadata: undefined });
  return (await outcomeOf('snapshotTaken', run(take))).snapshot;
}

/** The names of the contents of the container that no living writer holds. */
export async function contentsIn({ store, content }: TestAccount): Promise<string[]> {
  const space = await store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  const names: string[] = [];
  if (space) for await (const { id } of content.list(space)) names.push(id);
  return names;
}

async function eachRow(
  { store }: TestAccount,
  range: ScanRange,
  visit: (row: Row, space: Space) => void,
): Promise<void> {
  const space = await store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  const bound = Number.POSITIVE_INFINITY;
  const budget = { rows: bound, bytes: bound, examined: bound, milliseconds: bound };
  if (space)
    await store.scan(space, range, budget, row => {
      visit(row, space);
      return true;
    });
}

/** The names of the contents that rows of the container name; those that lists of blocks name are not among them. */
export async function namedIn(account: TestAccount): Promise<string[]> {
  const names = new Set<string>();
  await eachRow(account, { from: { partition: '', key: '' } }, (row, space) => {
    for (const { id } of contentsNamedBy(space, row)) names.add(id);
  });
  return [...names];
}

/** The keys of a blob's rows. */
export async function rowsOf(account: TestAccount, blob: string): Promise<string[]> {
  const keys: string[] = [];
  const range = { from: { partition: blob, key: '' }, until: { partition: `${blob}\0`, key: '' } };
  await eachRow(account, range, ({ key }) => keys.push(key));
  return keys;
}
