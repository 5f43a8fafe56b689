// `bench`: how fast an account answers from here: inserts, point reads, a scan and deletes on a table of its own, which
// it creates and drops.
import type { ToolContext } from '../run/context.js';
import { inParallel } from '../run/in-parallel.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { ToolError } from '../source/tool-error.js';

interface BenchOptions {
  readonly target: Address;
  readonly rows: number;
}

export interface Measured {
  readonly operation: 'insert' | 'point-read' | 'scan' | 'delete';
  readonly requests: number;
  readonly rows: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /** Per request, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const VALUE = 'x'.repeat(200);
const PARTITIONS = 16;
const JSON_TYPE = 'application/json';

const keyOf = (i: number): { readonly partitionKey: string; readonly rowKey: string } => ({
  partitionKey: `p${String(i % PARTITIONS).padStart(2, '0')}`,
  rowKey: String(i).padStart(8, '0'),
});

const pathOf = (table: string, i: number): string => {
  const { partitionKey, rowKey } = keyOf(i);
  return `/${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
};

const round = (value: number): number => Math.round(value * 1000) / 1000;

class Bench {
  readonly #endpoint: Endpoint;
  readonly #context: ToolContext;

  constructor(endpoint: Endpoint, context: ToolContext) {
    this.#endpoint = endpoint;
    this.#context = context;
  }

  async send(
    method: string,
    path: string,
    body?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Buffer> {
    const { value } = await this.#endpoint.expect(`${method} ${path}`, {
      method,
      path,
      headers: {
        accept: `${JSON_TYPE};odata=nometadata`,
        ...(body !== undefined && { 'content-type': JSON_TYPE }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    return value.body;
  }

  /** Sends this many requests, so many at a time. */
  async measure(
    operation: Measured['operation'],
    { rows, requests = rows, lanes = this.#context.parallel }: Measuring,
    one: (i: number) => Promise<unknown>,
  ): Promise<Measured> {
    const { source, reporter } = this.#context;
    const times: number[] = [];
    const begun = performance.now();
    await inParallel(new Array(requests).keys(), lanes, async i => {
      source.signal?.throwIfAborted();
      const sentAt = performance.now();
      await one(i);
      times.push(performance.now() - sentAt);
      reporter.rows(rows / requests);
    });
    return measuredOf(operation, rows, (performance.now() - begun) / 1000, times);
  }
}

interface Measuring {
  readonly rows: number;
  readonly requests?: number;
  readonly lanes?: number;
}

function measuredOf(
  operation: Measured['operation'],
  rows: number,
  seconds: number,
  times: number[],
): Measured {
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return {
    operation,
    requests: times.length,
    rows,
    seconds: round(seconds),
    rowsPerSecond: Math.round(rows / Math.max(seconds, 0.001)),
    p50: at(0.5),
    p99: at(0.99),
  };
}

/** A partition's rows fit on a page, so that a scan reads all of them. */
export const BENCH_ROWS_MAX = PARTITIONS * 1000;

/** Yields each measurement as soon as it is there. @throws ToolError */
export async function bench(
  { target, rows }: BenchOptions,
  context: ToolContext,
  take: (measured: Measured) => Promise<void>,
): Promise<void> {
  if (rows > BENCH_ROWS_MAX) throw new ToolError('usage', `--rows takes at most ${BENCH_ROWS_MAX}.`);
  const table = `shelfmarkbench${Math.floor(Math.random() * 1e12)}`;
  const endpoint = new Endpoint(target, 'table', context.source);
  const made = new Bench(endpoint, context);
  await made.send('POST', '/Tables', JSON.stringify({ TableName: table }), { prefer: 'return-no-content' });
  try {
    await take(
      await made.measure('insert', { rows }, i => {
        const { partitionKey: PartitionKey, rowKey: RowKey } = keyOf(i);
        const body = JSON.stringify({ PartitionKey, RowKey, number: i, text: VALUE });
        // A repeated insert would be a conflict.
        return made.send('PUT', pathOf(table, i), body);
      }),
    );
    await take(await made.measure('point-read', { rows }, i => made.send('GET', pathOf(table, i))));
    await take(
      await made.measure('scan', { rows, requests: PARTITIONS, lanes: 1 }, i => {
        const filter = encodeURIComponent(`PartitionKey eq '${keyOf(i).partitionKey}'`);
        return made.send('GET', `/${table}()?$filter=${filter}`);
      }),
    );
    await take(
      await made.measure('delete', { rows }, i =>
        made.send('DELETE', pathOf(table, i), undefined, { 'if-match': '*' }),
      ),
    );
  } finally {
    await made.send('DELETE', `/Tables('${table}')`);
  }
}
