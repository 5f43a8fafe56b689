// The partitions of a space in order: a merge of the directory's buckets. A partition stays in the directory when its last row is deleted.
import { BUCKETS } from '../layout/bucket.js';
import { LIST_PARTITIONS } from '../layout/schema.js';
import { decodeText, encodeText } from '../layout/text.js';
import type { Session } from '../session/session.js';

const PAGE = 500;

interface Bucket {
  readonly names: AsyncIterator<string>;
  head: string;
}

async function* namesIn(session: Session, sid: bigint, bucket: number, from: Buffer): AsyncGenerator<string> {
  let state: string | undefined;
  do {
    const page = await session.read(
      { query: LIST_PARTITIONS, params: [sid, bucket, from] },
      { size: PAGE, state },
    );
    for (const row of page.rows) yield decodeText(row.bytes('pk'));
    state = page.state;
  } while (state !== undefined);
}

/** From a name on, which need not be there. */
export async function* partitionsFrom(session: Session, sid: bigint, from: string): AsyncGenerator<string> {
  const start = encodeText(from);
  const opened = await Promise.all(
    Array.from({ length: BUCKETS }, async (_, number): Promise<Bucket | undefined> => {
      const names = namesIn(session, sid, number, start);
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
