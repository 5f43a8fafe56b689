// Applies changes of one partition in spite of obstacles: as one transaction; creating a missing table first; without
// rows that already exist; and row by row if a transaction fails for a reason that does not concern all its rows. If
// the answer to a write is lost, its outcome is found by reading. The result lists which rows were left alone and why.
import { formatContent } from '../line/line.js';
import { compareText, type Row } from '../line/row.js';
import { BadAnswer, type Endpoint, errorOf } from '../source/endpoint.js';
import { after, type KeyRange } from '../source/key-range.js';
import { ToolError } from '../source/tool-error.js';
import {
  BATCH_TYPE,
  type Change,
  type ChangeRequest,
  formatTransaction,
  isAddressable,
  requestOf,
  statusesIn,
  UNADDRESSABLE,
} from './change.js';
import type { TargetTable } from './target-table.js';

/** The result of changes that were sent. */
interface ChangeResult {
  /** 2xx if all are done. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** An earlier attempt may have been done. */
  readonly isRepeated: boolean;
}

/** Attempts at a transaction that end in 500: some servers answer this to a change that they cannot process. */
const TRANSACTION_ERRORS_MAX = 3;

async function sendTransaction(
  endpoint: Endpoint,
  requests: readonly ChangeRequest[],
): Promise<ChangeResult> {
  const { value, isRepeated } = await endpoint.send({
    method: 'POST',
    path: '/$batch',
    headers: {
      'content-type': BATCH_TYPE,
      accept: 'application/json;odata=minimalmetadata',
      dataserviceversion: '3.0',
    },
    body: formatTransaction(endpoint.name, requests),
    serverErrorsMax: TRANSACTION_ERRORS_MAX,
    read: answer =>
      answer.status === 202
        ? resultIn(answer.body.toString('utf8'), requests.length)
        : { status: answer.status, ...errorOf(answer) },
  });
  return { ...value, isRepeated };
}

function resultIn(text: string, count: number): Omit<ChangeResult, 'isRepeated'> {
  const statuses = statusesIn(text);
  const failed = statuses.find(status => status >= 300);
  if (failed !== undefined) return { status: failed, ...errorOf({ body: Buffer.from(text), headers: {} }) };
  if (statuses.length !== count || !text.includes(`--`))
    throw new BadAnswer(`an answer to ${count} changes has ${statuses.length}`);
  return { status: 202, code: '', message: '' };
}

/** One change on its own; a 500 is returned at once, because it may be the change's own (see `#applyOne`). */
async function sendChange(
  endpoint: Endpoint,
  { method, path, headers, body }: ChangeRequest,
): Promise<ChangeResult> {
  const { status, value, isRepeated } = await endpoint.send({
    method,
    path,
    headers,
    ...(body !== '' && { body }),
    serverErrorsMax: 1,
    read: errorOf,
  });
  return { status, ...value, isRepeated };
}

export interface Outcome {
  readonly change: Change;
  /** `done` if the row is as requested, by this run or before it. */
  readonly kind: 'done' | 'conflict' | 'refused';
  /** Why a row was refused. */
  readonly reason?: string;
}

export interface ApplyOptions {
  /** What an insert does with an existing row: it is a conflict unless it has the same content, or it is left alone. */
  readonly onExisting: 'compare' | 'skip';
}

const TRIES_MAX = 4;
const isDone = ({ status }: ChangeResult): boolean => status < 300;
/** A server that answers 500 to a change this often, and not to others in between, cannot process the change. */
const CHANGE_ERRORS_MAX = 10;
const isDenied = ({ status }: ChangeResult): boolean => status === 401 || status === 403;
/** The table is missing, not a row: that is `ResourceNotFound`, which Azure also answers for tables. */
const lacksTable = ({ status, code }: ChangeResult, kind: Change['kind']): boolean =>
  status === 404 && (code === 'TableNotFound' || kind !== 'delete');
const isGone = ({ status, code }: ChangeResult, { kind }: Change): boolean =>
  kind === 'delete' && status === 404 && code !== 'TableNotFound';
const mayBeDone = ({ status, isRepeated }: ChangeResult): boolean => isRepeated || status === 500;
const exists = ({ status, code }: ChangeResult): boolean => status === 409 && code !== 'TableBeingDeleted';

const reasonOf = ({ status, code, message }: ChangeResult): string =>
  [`${status}${code === '' ? '' : ` ${code}`}`, message].filter(each => each !== '').join(': ');

const done = (change: Change): Outcome => ({ change, kind: 'done' });

export class Applier {
  readonly #table: TargetTable;
  readonly #options: ApplyOptions;

  constructor(table: TargetTable, options: ApplyOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** All of one partition, each row once. @throws ToolError */
  async apply(changes: readonly Change[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = changes
      .filter(change => !isAddressable(change))
      .map(change => ({ change, kind: 'refused', reason: UNADDRESSABLE }));
    let left = changes.filter(isAddressable);
    let isUncertain = false;
    for (let tries = 0; left.length > 1 && tries < TRIES_MAX; tries++) {
      const requests = left.map(change => requestOf(this.#table.name, change));
      const result = await sendTransaction(this.#table.endpoint, requests);
      if (isDone(result)) return [...outcomes, ...left.map(done)];
      this.#check(result);
      isUncertain ||= mayBeDone(result);
      if (lacksTable(result, left[0]?.kind ?? 'insert')) {
        await this.#table.create();
        continue;
      }
      if (!exists(result)) break;
      const sorted = await this.#sortedOut(left);
      // Reading is not allowed: then each row is tried separately.
      if (sorted === undefined) break;
      outcomes.push(...sorted.outcomes);
      left = [...sorted.left];
    }
    for (const change of left) outcomes.push(await this.#applyOne(change, isUncertain));
    return outcomes;
  }

  #check(result: ChangeResult): void {
    if (isDenied(result))
      throw new ToolError(
        'denied',
        `${this.#table.endpoint.name} denied a write to table ${this.#table.name}: ${reasonOf(result)}`,
      );
  }

  /** @param wasUncertain whether an earlier attempt may have been done. */
  async #applyOne(change: Change, wasUncertain: boolean): Promise<Outcome> {
    let isUncertain = wasUncertain;
    let serverErrors = 0;
    for (let tries = 0; ; ) {
      const result = await sendChange(this.#table.endpoint, requestOf(this.#table.name, change));
      if (isDone(result)) return done(change);
      this.#check(result);
      isUncertain ||= mayBeDone(result);
      if (isGone(result, change)) return done(change);
      if (lacksTable(result, change.kind) && tries++ < TRIES_MAX) {
        await this.#table.create();
        continue;
      }
      if (exists(result) && change.kind === 'insert') return this.#existing(change, isUncertain);
      if (result.status === 500) {
        serverErrors = (await this.#table.isWell()) ? serverErrors + 1 : 0;
        if (serverErrors < CHANGE_ERRORS_MAX) continue;
      }
      return { change, kind: 'refused', reason: reasonOf(result) };
    }
  }

  async #existing(change: Change, isUncertain: boolean): Promise<Outcome> {
    if (this.#options.onExisting === 'skip') return done(change);
    const sorted = await this.#sortedOut([change]);
    // A lost answer was most likely this one's: no other client inserts the same row.
    if (sorted === undefined)
      return isUncertain
        ? done(change)
        : { change, kind: 'conflict', reason: 'it is there, and may not be read' };
    const [outcome] = sorted.outcomes;
    // It was there, and is gone.
    return outcome ?? this.#applyOne(change, isUncertain);
  }

  /** The existing ones among inserted rows, and what is left to do; undefined if reading is not allowed. */
  async #sortedOut(
    changes: readonly Change[],
  ): Promise<{ outcomes: readonly Outcome[]; left: readonly Change[] } | undefined> {
    const there = await this.#rowsThere(changes);
    if (there === undefined) return undefined;
    const outcomes: Outcome[] = [];
    const left: Change[] = [];
    for (const change of changes) {
      const row = change.kind === 'insert' ? there.get(change.row.rowKey) : undefined;
      if (row === undefined) left.push(change);
      else if (this.#options.onExisting === 'skip' || formatContent(row) === change.body)
        outcomes.push(done(change));
      else outcomes.push({ change, kind: 'conflict' });
    }
    return { outcomes, left };
  }

  async #rowsThere(changes: readonly Change[]): Promise<ReadonlyMap<string, Row> | undefined> {
    const keys = changes.map(({ row }) => row.rowKey).sort(compareText);
    const { partitionKey } = changes[0]?.row ?? { partitionKey: '' };
    const [first = '', last = ''] = [keys[0], keys.at(-1)];
    const range: KeyRange = {
      from: { partitionKey, rowKey: first },
      until: after({ partitionKey, rowKey: last }),
    };
    const wanted = new Set(keys);
    const there = new Map<string, Row>();
    try {
      for await (const page of this.#table.rows.pages(this.#table.name, range))
        for (const row of page) if (wanted.has(row.rowKey)) there.set(row.rowKey, row);
    } catch (error) {
      if (error instanceof ToolError && error.exit === 'denied') return undefined;
      throw error;
    }
    return there;
  }
}
