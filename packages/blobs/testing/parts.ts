// Blocks, appends and pages for tests, on a container of account.ts.
import type { AppendConditions, ListedBlockId, OperationOf, Source, WholeBlob } from '../operation.js';
import type { Outcome } from '../outcome.js';
import {
  CONTAINER,
  NO_APPEND_CONDITIONS,
  NO_CONDITIONS,
  NO_PAGE_CONDITIONS,
  operation,
  outcomeOf,
  type TestAccount,
  upload,
} from './account.js';

export const blockId = (name: string): string => Buffer.from(name.padStart(4, '0')).toString('base64');

export const putBlock = (
  { run }: TestAccount,
  blob: string,
  name: string,
  body: string | Buffer,
): Promise<Outcome> => run(operation('putBlock', { blob, id: blockId(name), upload: upload(body) }));

export const putList = (
  { run }: TestAccount,
  blob: string,
  names: readonly (string | ListedBlockId)[],
  whole: Partial<WholeBlob> = {},
): Promise<Outcome> => {
  const blocks = names.map(each =>
    typeof each === 'string' ? ({ from: 'latest', id: blockId(each) } as const) : each,
  );
  return run(operation('putBlockList', { blob, ...whole, blocks }));
};

export async function blocksOf({ run }: TestAccount, blob: string) {
  const get = operation('getBlockList', { blob, committed: true, uncommitted: true });
  const blocks = await outcomeOf('blocks', run(get));
  const told = (list: typeof blocks.committed) =>
    list?.map(({ id, length }) => `${Buffer.from(id, 'base64').toString().replace(/^0+/, '')}:${length}`);
  return { committed: told(blocks.committed), uncommitted: told(blocks.uncommitted) };
}

export const makeAppendBlob = ({ run }: TestAccount, blob: string): Promise<Outcome> =>
  run(operation('putAppendBlob', { blob }));

export const append = (
  { run }: TestAccount,
  blob: string,
  body: string | Buffer,
  own: Partial<AppendConditions> = {},
) => {
  const conditions = { ...NO_APPEND_CONDITIONS, ...own };
  return outcomeOf('appended', run(operation('appendBlock', { blob, conditions, upload: upload(body) })));
};

export const makePageBlob = ({ run }: TestAccount, blob: string, length: number): Promise<Outcome> =>
  run(operation('putPageBlob', { blob, length, sequenceNumber: 0n }));

export const putPages = (
  { run }: TestAccount,
  blob: string,
  from: number,
  body: Buffer,
  conditions = NO_PAGE_CONDITIONS,
): Promise<Outcome> => {
  const span = { from, until: from + body.length };
  return run(operation('putPages', { blob, span, conditions, upload: upload(body) }));
};

export const clearPages = (
  { run }: TestAccount,
  blob: string,
  from: number,
  until: number,
): Promise<Outcome> =>
  run(operation('clearPages', { blob, span: { from, until }, conditions: NO_PAGE_CONDITIONS }));

export const resize = ({ run }: TestAccount, blob: string, length: number): Promise<Outcome> =>
  run(operation('setBlobProperties', { blob, properties: undefined, length, sequenceNumber: undefined }));

export async function rangesOf(
  { run }: TestAccount,
  blob: string,
  since?: bigint,
  snapshot?: bigint,
): Promise<string> {
  const get = operation('getPageRanges', { blob, snapshot, since, from: undefined, top: 10_000 });
  const { ranges } = await outcomeOf('pageRanges', run(get));
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

export const copyOf = (
  source: Source,
  to: string,
  more: Partial<OperationOf<'copyBlob'>> = {},
): OperationOf<'copyBlob'> =>
  operation('copyBlob', {
    blob: to,
    source,
    metadata: undefined,
    tagsOfSource: false,
    seal: undefined,
    isSynchronous: false,
    md5: undefined,
    ...more,
  });
