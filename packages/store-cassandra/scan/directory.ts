// The partitions of a space in order: a merge of the directory's buckets. A partition stays in the directory when its last row is deleted.
import { BUCKETS } from '../layout/bucket.js';
import { LIST_PARTITIONS } from '../layout/schema.js';
import { decodeText, encodeText } from '../layout/text.js';
import type { Page, Session } from '../session/session.js';

/**
 * Names per request: a walk that wants few rows asks for about as many as it needs, but for enough to be worth a
 * request.
 */
const PAGE_MIN = 50;
const PAGE_MAX = 1000;
/** Relative to what a bucket has on average. */
const MARGIN = 1.5;

interface Bucket {
  readonly names: AsyncIterator<string>;
  head: string;
}

/** The next page is loading while one is walked. */
async function* namesIn(read: (state?: string) => Promise<Page>): AsyncGenerator<string> {
  let coming: Promise<Page> | undefined = read();
  while (coming !== undefined) {
    const page: Page = await coming;
    coming = page.state === undefined ? undefined : read(page.state);
    // The end of the walk does not wait for it.
    coming?.catch(() => undefined);
    for (const row of page.rows) yield decodeText(row.bytes('pk'));
  }
}

/** From a name on, which need not exist; `wanted` is how many may be needed. */
export async function* partitionsFrom(
  session: Session,
  sid: bigint,
  from: string,
  wanted: number,
): AsyncGenerator<string> {
  const start = encodeText(from);
  const size = Math.min(PAGE_MAX, Math.max(PAGE_MIN, Math.ceil((wanted / BUCKETS) * MARGIN)));
  const opened = await Promise.all(
    Array.from({ length: BUCKETS }, async (_, number): Promise<Bucket | undefined> => {
      const statement = { query: LIST_PARTITIONS, params: [sid, number, start] };
      const names = namesIn(state => session.read(statement, { size, state }));
      const first = await names.next();
      return first.done ? undefined : { names, head: first.value };
    }),
  );
  const buckets = opened.filter(bucket => bucket !== undefined);
  while (buckets.length > 0) {
    const least = buckets.reduce((a, b) => (b.head < a.head ? b : a));
    yield least.head;
    const next = await least.names.next();
    if (next.done) buckets.splice(buckets.indexOf(least), 1);
    else least.head = next.value;
  }
}
