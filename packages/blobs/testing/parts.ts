// Blocks, appends and pages for tests, on a container of account.ts.
import type { AppendConditions, CopyBlob, ListedBlockId, Source, WholeBlob } from '../operation.js';
import type { Outcome } from '../outcome.js';
import {
  CONTAINER,
  NO_APPEND_CONDITIONS,
  NO_CONDITIONS,
  NO_PAGE_CONDITIONS,
  outcomeOf,
  type TestAccount,
  upload,
  WHOLE,
} from './account.js';

export const blockId = (name: string): string => Buffer.from(name.padStart(4, '0')).toString('base64');

export const putBlock = (
  { run }: TestAccount,
  blob: string,
  name: string,
  body: string | Buffer,
): Promise<Outcome> =>
  run({
    kind: 'putBlock',
    container: CONTAINER,
    blob,
    id: blockId(name),
    leaseId: undefined,
    upload: upload(body),
  });

export const putList = (
  { run }: TestAccount,
  blob: string,
  names: readonly (string | ListedBlockId)[],
  whole: Partial<WholeBlob> = {},
): Promise<Outcome> =>
  run({
    kind: 'putBlockList',
    container: CONTAINER,
    blob,
    ...WHOLE,
    ...whole,
    blocks: names.map(each => (typeof each === 'string' ? { from: 'latest', id: blockId(each) } : each)),
  });

export async function blocksOf({ run }: TestAccount, blob: string) {
  const asked = { committed: true, uncommitted: true, snapshot: undefined } as const;
  const blocks = await outcomeOf(
    'blocks',
    run({
      kind: 'getBlockList',
      container: CONTAINER,
      blob,
      ...asked,
      leaseId: undefined,
      ifTags: undefined,
    }),
  );
  const told = (list: typeof blocks.committed) =>
    list?.map(({ id, length }) => `${Buffer.from(id, 'base64').toString().replace(/^0+/, '')}:${length}`);
  return { committed: told(blocks.committed), uncommitted: told(blocks.uncommitted) };
}

export const makeAppendBlob = ({ run }: TestAccount, blob: string): Promise<Outcome> =>
  run({ kind: 'putAppendBlob', container: CONTAINER, blob, ...WHOLE });

export const append = (
  { run }: TestAccount,
  blob: string,
  body: string | Buffer,
  conditions: Partial<AppendConditions> = {},
) =>
  outcomeOf(
    'appended',
    run({
      kind: 'appendBlock',
      container: CONTAINER,
      blob,
      conditions: { ...NO_APPEND_CONDITIONS, ...conditions },
      upload: upload(body),
    }),
  );

export const makePageBlob = ({ run }: TestAccount, blob: string, length: number): Promise<Outcome> =>
  run({ kind: 'putPageBlob', container: CONTAINER, blob, ...WHOLE, length, sequenceNumber: 0n });

export const putPages = (
  { run }: TestAccount,
  blob: string,
  from: number,
  body: Buffer,
  conditions = NO_PAGE_CONDITIONS,
): Promise<Outcome> =>
  run({
    kind: 'putPages',
    container: CONTAINER,
    blob,
    span: { from, until: from + body.length },
    conditions,
    upload: upload(body),
  });

export const clearPages = (
  { run }: TestAccount,
  blob: string,
  from: number,
  until: number,
): Promise<Outcome> =>
  run({
    kind: 'clearPages',
    container: CONTAINER,
    blob,
    span: { from, until },
    conditions: NO_PAGE_CONDITIONS,
  });

export const resize = ({ run }: TestAccount, blob: string, length: number): Promise<Outcome> =>
  run({
    kind: 'setBlobProperties',
    container: CONTAINER,
    blob,
    properties: undefined,
    length,
    sequenceNumber: undefined,
    conditions: NO_CONDITIONS,
  });

export async function rangesOf(
  { run }: TestAccount,
  blob: string,
  since?: bigint,
  snapshot?: bigint,
): Promise<string> {
  const { ranges } = await outcomeOf(
    'pageRanges',
    run({
      kind: 'getPageRanges',
      container: CONTAINER,
      blob,
      snapshot,
      range: undefined,
      since,
      from: undefined,
      top: 10_000,
      conditions: NO_CONDITIONS,
    }),
  );
  return ranges
    .map(({ from, until, isClear }) => `${isClear ? '-' : ''}${from / 512}-${until / 512}`)
    .join(' ');
}

export const sourceOf = (blob: string, snapshot?: bigint): Source => ({
  account: 'account1',
  container: CONTAINER,
  blob,
  snapshot,
  url: `http://here/account1/${CONTAINER}/${blob}`,
  conditions: NO_CONDITIONS,
});

export const copyOf = (source: Source, to: string, more: Partial<CopyBlob> = {}): CopyBlob => ({
  kind: 'copyBlob',
  container: CONTAINER,
  blob: to,
  source,
  metadata: undefined,
  tags: [],
  tagsOfSource: false,
  tier: undefined,
  seal: undefined,
  isSynchronous: false,
  md5: undefined,
  conditions: NO_CONDITIONS,
  ...more,
});
