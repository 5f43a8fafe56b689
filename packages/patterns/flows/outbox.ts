// An outbox: rows that name flows to start. Programs without this library write them in one transaction with the rows that the flows follow. A sweeper sends a message per row before it
// deletes the row, so each row starts its flow at least once; repeated messages have one id.
import type { CallOptions } from '../concurrency/abort.js';
import { keysCondition } from '../model/filter/condition.js';
import { formatFilter } from '../model/filter/format-filter.js';
import { readAddress } from '../model/row-head.js';
import { Db } from '../repo/open.js';
import { rowPages } from '../transport/row-source.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { memberOf, textOf } from '../values/row-member.js';
import { type FlowDefinition, inputToSend, upcastInput } from './definition.js';
import type { Flow, StartOptions } from './flow.js';

/** The prefix of an outbox's row keys, and the prefix that follows it in order. */
const PREFIX = 'outbox!';
const BEHIND = 'outbox"';

/** A row of an outbox, as the official client writes it. Other languages write the same properties. */
export interface OutboxRow {
  readonly partitionKey: string;
  /** `outbox!` and an id that no other row of the partition has. */
  readonly rowKey: string;
  /** The flow's name. */
  readonly Flow: string;
  /** Of the input. */
  readonly Version: number;
  /** JSON. */
  readonly Input: string;
}

/** The row that starts a flow. Write it in one transaction with the rows that the flow follows. Throws ValueInvalid. */
export const outboxRow = <I, O>(
  { definition }: Flow<I, O>,
  { partitionKey, id }: { readonly partitionKey: string; readonly id: string },
  input: I,
): OutboxRow => ({
  partitionKey,
  rowKey: `${PREFIX}${id}`,
  Flow: definition.name,
  Version: definition.version,
  Input: JSON.stringify(inputToSend(definition, input)),
});

/** The outbox to sweep. */
export interface SweepOptions extends CallOptions {
  readonly table: string;
  /** The only partition to sweep; without it, the sweeper scans the whole table. */
  readonly partitionKey?: string;
}

/** The outcome of one row. */
export type Swept = RowAddress &
  (
    | { readonly kind: 'sent'; readonly flow: string; readonly id: string }
    /** Its flow was not given, or rejects its input; the row stays. */
    | { readonly kind: 'refused'; readonly reason: string }
  );

/** The part of a flow that a sweeper needs. */
interface Startable {
  readonly name: string;
  readonly definition: Pick<FlowDefinition, 'name' | 'version' | 'upcast'>;
  start(db: Db, input: never, options: StartOptions): Promise<string>;
}

/** The version and the input of a row. Throws PatternError and SyntaxError. */
function inputIn(flow: Startable, row: WireObject): unknown {
  const version = memberOf(row, 'Version') ?? flow.definition.version;
  const input: unknown = JSON.parse(textOf(row, 'Input') ?? '');
  return upcastInput({ ...flow.definition, schema: undefined }, input, Number(version));
}

async function sweepRow(
  db: Db,
  flows: ReadonlyMap<string, Startable>,
  address: RowAddress,
  row: WireObject,
  options: CallOptions,
): Promise<Swept> {
  const name = textOf(row, 'Flow') ?? '';
  const flow = flows.get(name);
  if (flow === undefined) return { ...address, kind: 'refused', reason: `no flow is called ${name}` };
  const id = `${address.partitionKey}/${address.rowKey}`;
  try {
    await flow.start(db, inputIn(flow, row) as never, { id, ...options });
  } catch (thrown) {
    const isOfRow =
      thrown instanceof SyntaxError ||
      ['ValueInvalid', 'TooLarge', 'MessageUnreadable'].some(
        code => PatternError.is(thrown) && thrown.code === code,
      );
    if (!isOfRow) throw thrown;
    return { ...address, kind: 'refused', reason: (thrown as Error).message };
  }
  const etag = textOf(row, 'odata.etag') ?? '*';
  const write = { kind: 'delete', ...address, etag } as const;
  await Db.serviceOf(db).writes.write({ write, ifExists: true }, options);
  return { ...address, kind: 'sent', flow: name, id };
}

/** Starts the flows that the rows of an outbox name, and deletes these rows. It runs as results are consumed, may be repeated, and may run in several programs at once. */
export async function* sweepOutbox(
  db: Db,
  flows: readonly Startable[],
  { table, partitionKey, signal }: SweepOptions,
): AsyncGenerator<Swept, void, undefined> {
  const { requests } = Db.serviceOf(db);
  const byName = new Map(flows.map(flow => [flow.name, flow]));
  const partition = partitionKey === undefined ? {} : { eq: partitionKey };
  const filter = formatFilter(keysCondition(partition, { ge: PREFIX, lt: BEHIND }));
  for await (const rows of rowPages(requests, { table, filter, signal }))
    for (const row of rows) yield await sweepRow(db, byName, readAddress(row, table), row, { signal });
}
