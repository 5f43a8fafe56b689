// One scan of a whole table over HTTP, page after page, like a program that exports it. Received rows are counted, not
// parsed: the client must not be what is measured.
import { Caller } from '../load/caller.js';
import { WrongAnswer } from '../load/job.js';
import type { Endpoint } from '../load/requests.js';
import { RANKS } from '../load/template.js';

interface PageScan {
  readonly endpoint: Endpoint;
  readonly table: string;
  readonly rows: number;
}

export interface ScanTime {
  readonly milliseconds: number;
  /** The longest time of a page, from its request to its last byte. */
  readonly longest: number;
}

/** A filter that examines every row and takes it. */
const ALL = `Rank%20lt%20${2 * RANKS}`;
const ROW = Buffer.from('"RowKey":"');
const CONTINUATIONS = ['NextPartitionKey', 'NextRowKey'] as const;

export async function scanPages({ endpoint, table, rows }: PageScan): Promise<ScanTime> {
  const caller = new Caller(endpoint.port);
  const path = `/${endpoint.account}/${table}()?$filter=${ALL}&${endpoint.signature}`;
  const start = performance.now();
  let found = 0;
  let longest = 0;
  try {
    for (let from: string | undefined = ''; from !== undefined; ) {
      const asked = performance.now();
      const { status, head, body } = await caller.ask(
        `GET ${path}${from} HTTP/1.1\r\nHost: 127.0.0.1:${endpoint.port}\r\nx-ms-version: 2019-02-02\r\n` +
          'Accept: application/json;odata=nometadata\r\n\r\n',
      );
      if (status !== 200) throw new WrongAnswer(`a page of a scan was answered with ${status}`);
      longest = Math.max(longest, performance.now() - asked);
      found += countRows(body);
      from = continuationOf(head);
    }
  } finally {
    caller.close();
  }
  if (found !== rows) throw new WrongAnswer(`a scan found ${found} rows instead of ${rows}`);
  return { milliseconds: performance.now() - start, longest };
}

function countRows(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(ROW); at >= 0; at = body.indexOf(ROW, at + ROW.length)) count += 1;
  return count;
}

/** What the next page's query adds; undefined at the end. */
function continuationOf(head: string): string | undefined {
  const parts = CONTINUATIONS.map(name => {
    const value = new RegExp(`^x-ms-continuation-${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim();
    return value === undefined ? '' : `&${name}=${encodeURIComponent(value)}`;
  });
  return parts[0] === '' ? undefined : parts.join('');
}
