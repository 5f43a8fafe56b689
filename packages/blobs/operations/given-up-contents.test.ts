// Contents written for a commit that is not made, or for a list that cannot be stored, are discarded at once: nothing else would find them
// while the process lives. Where the engine failed they are left to the sweep, because the commit may have been made.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '#base';
import { type ContentStore, type ContentWriter, openMemoryStore, type Store, StoreError } from '#store';
import type { Operation, OperationOf } from '../operation.js';
import { BlobSweep } from '../sweep.js';
import {
  accountOn,
  BLOB,
  contentsIn,
  NO_APPEND_CONDITIONS,
  NO_CONDITIONS,
  NO_PAGE_CONDITIONS,
  openContainer,
  operation,
  putBlob,
  readBlob,
  refusalOf,
  replacing,
  START,
  type TestAccount,
  upload,
} from '../testing/account.js';
import {
  append,
  blockId,
  blocksOf,
  copyOf,
  makeAppendBlob,
  makePageBlob,
  putBlock,
  putList,
  sourceOf,
} from '../testing/parts.js';

const LARGE = Buffer.alloc(40_000, 'x');
const NAMES = Array.from({ length: 40 }, (_, at) => `${at}`);
/** Together too much for a head, and more than its list takes. */
const SMALL_BLOCK = Buffer.alloc(500, 'y');

interface Subject {
  readonly account: TestAccount;
  /** Contents that were begun and neither given up nor released. */
  held(): number;
  /** The n-th content from now on fails, at that call. */
  failAt(content: number, call: 'create' | 'write' | 'finish'): void;
  /** Of the next commit: called before it, instead of it, or behind it. */
  disturb(commit: { before?: () => Promise<void>; instead?: () => never; behind?: () => never }): void;
}

/** A content may fail at one of its calls. */
class Faults {
  /** Contents that were begun and neither given up nor released. */
  readonly held = new Set<string>();
  at: { content: number; readonly call: string } | undefined;

  look(call: string): void {
    if (this.at?.content !== 1 || this.at.call !== call) return;
    this.at = undefined;
    throw new StoreError('full', 'No space is left.');
  }

  watched(writer: ContentWriter): ContentWriter {
    return replacing(writer, {
      write: async piece => {
        this.look('write');
        await writer.write(piece);
      },
      finish: async () => {
        this.look('finish');
        if (this.at) this.at.content -= 1;
        return writer.finish();
      },
      release: () => {
        this.held.delete(writer.id);
        writer.release();
      },
      discard: async () => {
        this.held.delete(writer.id);
        await writer.discard();
      },
    });
  }

  around(content: ContentStore): ContentStore {
    return replacing(content, {
      create: async space => {
        this.look('create');
        const writer = await content.create(space);
        this.held.add(writer.id);
        return this.watched(writer);
      },
    });
  }
}

type Disturbance = Parameters<Subject['disturb']>[0];

async function open(): Promise<Subject> {
  const time = { now: START };
  const store = openMemoryStore({ clock: () => time.now });
  const faults = new Faults();
  let disturbance: Disturbance | undefined;
  const watchedStore = replacing<Store>(store, {
    commit: async (...parts) => {
      const { before, instead, behind } = disturbance ?? {};
      disturbance = undefined;
      await before?.();
      instead?.();
      const result = await store.commit(...parts);
      behind?.();
      return result;
    },
  });
  const content = faults.around(store.content);
  const account = await openContainer(accountOn({ store: watchedStore, content }, time));
  return {
    account,
    held: () => faults.held.size,
    failAt: (at, call) => {
      faults.at = { content: at, call };
    },
    disturb: one => {
      disturbance = one;
    },
  };
}

const full = { name: 'StoreError', code: 'full' };

async function stageMany(account: TestAccount): Promise<void> {
  for (const name of NAMES) await putBlock(account, BLOB, name, SMALL_BLOCK);
}

describe('a list of blocks that cannot be stored', () => {
  for (const call of ['create', 'write', 'finish'] as const)
    test(`gives up the content of small blocks when its ${call} fails, and can be committed again`, async () => {
      const { account, held, failAt } = await open();
      await stageMany(account);
      failAt(2, call);
      await assert.rejects(putList(account, BLOB, NAMES), full);
      assert.deepEqual([held(), await contentsIn(account)], [0, []]);
      assert.equal((await blocksOf(account, BLOB)).uncommitted?.length, NAMES.length);
      await putList(account, BLOB, NAMES);
      assert.equal((await readBlob(account, BLOB)).length, NAMES.length * SMALL_BLOCK.length);
      await account.settled();
      assert.deepEqual([held(), (await contentsIn(account)).length], [0, 2]);
    });

  test('of a copy gives up the copy of the bytes', async () => {
    const { account, held, failAt } = await open();
    await stageMany(account);
    await putList(account, BLOB, NAMES);
    await account.settled();
    failAt(2, 'finish');
    await assert.rejects(account.run(copyTo('other')), full);
    assert.deepEqual([held(), (await contentsIn(account)).length], [0, 2]);
  });
});

const copyTo = (blob: string): OperationOf<'copyBlob'> =>
  copyOf(sourceOf(BLOB), blob, { conditions: { ...NO_CONDITIONS, ifNoneMatch: 'any' } });

const blob = 'late';
const ifNone = { ...NO_CONDITIONS, ifNoneMatch: 'any' } as const;

/** Operations whose condition holds before their body comes, and not any more when they commit. */
const LATE: readonly (readonly [
  name: string,
  operation: () => Operation,
  prepare: (account: TestAccount) => Promise<unknown>,
  meanwhile: (account: TestAccount) => Promise<unknown>,
])[] = [
  [
    'Put Blob',
    () => operation('putBlockBlob', { blob, conditions: ifNone, upload: upload(LARGE) }),
    async () => undefined,
    account => putBlob(account, 'late', 'x'),
  ],
  [
    'Copy Blob',
    () => copyTo('late'),
    account => putBlob(account, BLOB, LARGE),
    account => putBlob(account, 'late', 'x'),
  ],
  [
    'Put Block',
    () => operation('putBlock', { blob, id: blockId('a'), upload: upload(LARGE) }),
    async () => undefined,
    account => makeAppendBlob(account, 'late'),
  ],
  [
    'Append Block',
    () => {
      const conditions = { ...NO_APPEND_CONDITIONS, appendPosition: 0 };
      return operation('appendBlock', { blob, conditions, upload: upload(LARGE) });
    },
    account => makeAppendBlob(account, 'late'),
    account => append(account, 'late', 'x'),
  ],
  [
    'Put Page',
    () => {
      const span = { from: 0, until: 40_960 };
      const body = upload(Buffer.alloc(span.until, 'p'));
      return operation('putPages', { blob, span, conditions: NO_PAGE_CONDITIONS, upload: body });
    },
    account => makePageBlob(account, 'late', 65_536),
    account => putBlob(account, 'late', 'x'),
  ],
];

describe('a commit that is refused gives up its contents', () => {
  for (const [name, operation, prepare, meanwhile] of LATE)
    test(name, async () => {
      const { account, held, disturb } = await open();
      await prepare(account);
      await account.settled();
      const there = await contentsIn(account);
      disturb({ before: async () => void (await meanwhile(account)) });
      await assert.rejects(account.run(operation()), { name: 'BlobError' });
      await account.settled();
      assert.deepEqual([held(), await contentsIn(account)], [0, there]);
    });

  test('Put Block List, which then begins again', async () => {
    const { account, held, disturb } = await open();
    await stageMany(account);
    disturb({ before: async () => void (await putBlock(account, BLOB, '0', Buffer.alloc(600, 'z'))) });
    await putList(account, BLOB, NAMES);
    await account.settled();
    assert.deepEqual([held(), (await contentsIn(account)).length], [0, 2]);
    assert.equal((await readBlob(account, BLOB)).length, NAMES.length * SMALL_BLOCK.length + 100);
  });
});

describe('a commit of which nobody knows whether it was made', () => {
  const lost = (): never => {
    throw new StoreError('busy', 'Its end is unknown.');
  };
  const busy = { name: 'StoreError', code: 'busy' };
  async function sweep({ context }: TestAccount): Promise<void> {
    const sweeping = new BlobSweep({ ...context, clock: systemClock, accounts: () => ['account1'] });
    while (!(await sweeping.step()).isPassOver);
  }

  test('leaves its content to the sweep where it was not', async () => {
    const { account, held, disturb } = await open();
    disturb({ instead: lost });
    await assert.rejects(putBlob(account, BLOB, LARGE), busy);
    assert.deepEqual([held(), (await contentsIn(account)).length], [0, 1]);
    await sweep(account);
    assert.deepEqual(await contentsIn(account), []);
    await refusalOf('BlobNotFound', readBlob(account, BLOB));
  });

  test('keeps it where it was', async () => {
    const { account, held, disturb } = await open();
    disturb({ behind: lost });
    await assert.rejects(putBlob(account, BLOB, LARGE), busy);
    await sweep(account);
    assert.deepEqual([held(), (await contentsIn(account)).length], [0, 1]);
    assert.deepEqual(await readBlob(account, BLOB), LARGE);
  });
});
