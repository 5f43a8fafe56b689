// What iterations give, in one process or each page in another, and what becomes of bulk writes.
import assert from 'node:assert/strict';
import { type Db, PatternError } from '#patterns';
import { type RowChange, writeAll } from '#patterns/bulk';

export async function collect<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of from) all.push(each);
  return all;
}

/** The pages of an iteration with tokens. Each is the first one of a new iteration, as of a program that ended behind the page before. */
export async function pageByPage<P extends { readonly next: string | undefined }>(
  begin: (resume: string | undefined) => AsyncIterable<P>,
): Promise<P[]> {
  const pages: P[] = [];
  let resume: string | undefined;
  do {
    const { value, done } = await begin(resume)[Symbol.asyncIterator]().next();
    // Behind a page that was full there may be nothing.
    if (done) return pages;
    pages.push(value);
    resume = value.next;
  } while (resume !== undefined);
  return pages;
}

/** What an audit finds, or a backfill. */
export const findingsOf = async <F>(
  pages: AsyncIterable<{ readonly findings: readonly F[] }>,
): Promise<readonly F[]> => (await collect(pages)).flatMap(({ findings }) => findings);

/** What becomes of each change: `done`, or the code of its error. */
export async function written(
  db: Db,
  changes: Parameters<typeof writeAll>[1],
  options: Parameters<typeof writeAll>[2] = {},
): Promise<string[]> {
  const outcomes: string[] = [];
  for await (const report of writeAll(db, changes, options))
    outcomes[report.index] = report.kind === 'done' ? 'done' : report.error.code;
  return outcomes;
}

/** Fails unless all of them are done. */
export async function writeEach(db: Db, changes: Iterable<RowChange>): Promise<void> {
  const outcomes = await written(db, changes);
  assert(
    outcomes.every(each => each === 'done'),
    outcomes.join(),
  );
}

/** `done`, or the code of the error: of a batch, that of the operation. */
export async function outcomeOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
    return 'done';
  } catch (thrown) {
    if (!PatternError.is(thrown)) throw thrown;
    return thrown.code === 'BatchFailed' ? thrown.detail.reason : thrown.code;
  }
}
