// Compares copies with their sources, page by page of the rows that have copies. Others write meanwhile: what is wrong is looked at again before it is told.

import { allInOrder } from '../flow/in-order.js';
import type { AnyEntity, KeyOf } from '../model/entity.js';
import type { StoredOf } from '../model/stored.js';
import { Db } from '../open.js';
import { POINT_CONCURRENCY } from '../read/table-query.js';
import type { ReadOptions } from '../transport/table-requests.js';
import type { RowAddress } from '../values/pattern-error.js';
import type { Flow } from '../workflow/flow.js';
import type { CopyInput } from './copy-input.js';
import type { CopyRules } from './copy-rules.js';

/** What an audit of copies does with what it finds, and where it goes on. */
export interface CopyAuditOptions extends ReadOptions {
  readonly repair?: boolean | undefined;
  /** The `next` of the last progress that was seen. */
  readonly resume?: string | undefined;
  /** Rows of a page; 100 by default. */
  readonly size?: number | undefined;
}

/**
 * What is wrong with the copies of a row: they are `missing`, `stale`, or an `orphan` of no source; `dangling` is a row whose source is gone although its deletion is refused, which an audit does not
 * repair.
 */
export type CopyFault = 'missing' | 'stale' | 'orphan' | 'dangling';

/** A row that should have other copies. */
export interface CopyFinding<H extends AnyEntity = AnyEntity> extends RowAddress {
  readonly fault: CopyFault;
  readonly key: KeyOf<H>;
  readonly isRepaired: boolean;
}

/** Where an audit of copies is after a page. Counts are of all pages since the start, or since the token that was given. */
export interface CopyAuditProgress<H extends AnyEntity = AnyEntity> {
  readonly checked: number;
  readonly repaired: number;
  /** Of this page. */
  readonly findings: readonly CopyFinding<H>[];
  /** By which to go on; undefined at the end. */
  readonly next: string | undefined;
  /** Since the oldest message was sent that the flow has not done, in milliseconds, as the audit began: findings may be as young. Undefined if there is none. */
  readonly oldest: number | undefined;
}

/** What is audited. */
export interface AuditedCopies {
  readonly name: string;
  readonly rules: CopyRules;
  /** None where copies are written with their sources. */
  readonly flow: Flow<CopyInput, CopyInput> | undefined;
  refresh(key: unknown, options: ReadOptions): Promise<void>;
}

const PAGE_SIZE = 100;

async function faultOf(
  db: Db,
  rules: CopyRules,
  { value }: StoredOf<AnyEntity>,
  options: ReadOptions,
): Promise<CopyFault | undefined> {
  const values = value as Readonly<Record<string, unknown>>;
  const { hasKey, source, patch } = await rules.compared(db, values, options);
  if (hasKey && source === undefined && rules.spec.whenDeleted === 'refuse') return 'dangling';
  if (patch === undefined) return undefined;
  if (source === undefined) return 'orphan';
  return rules.has(values, undefined) ? 'missing' : 'stale';
}

async function checked(
  db: Db,
  { rules, refresh }: AuditedCopies,
  row: StoredOf<AnyEntity>,
  { repair = false, signal }: CopyAuditOptions,
): Promise<CopyFinding | undefined> {
  if ((await faultOf(db, rules, row, { signal })) === undefined) return undefined;
  const key = row.value as unknown as KeyOf<AnyEntity>;
  const now = await db.repo(rules.spec.holder).get(key, { signal });
  const fault = now && (await faultOf(db, rules, now, { signal }));
  if (fault === undefined) return undefined;
  if (repair) await refresh(key, { signal });
  const { table, partitionKey, rowKey } = row;
  return { table, partitionKey, rowKey, fault, key, isRepaired: repair && fault !== 'dangling' };
}

export async function* auditCopies(
  db: Db,
  audited: AuditedCopies,
  options: CopyAuditOptions,
): AsyncGenerator<CopyAuditProgress, void, undefined> {
  const { size = PAGE_SIZE, resume, signal } = options;
  const calling = { ...(signal && { signal }) };
  const hasQueues = Db.serviceOf(db).clients.queues !== undefined;
  const figures = hasQueues ? await audited.flow?.figures(db, calling) : undefined;
  const rows = db.repo(audited.rules.spec.holder).scan().allowScan('an audit reads all rows');
  let [count, repaired] = [0, 0];
  for await (const { items, next } of rows.pages({ size, resume, signal })) {
    const found = await allInOrder(items, { concurrency: POINT_CONCURRENCY, signal }, row =>
      checked(db, audited, row, options),
    );
    const findings = found.flatMap(each => each ?? []);
    count += items.length;
    repaired += findings.filter(({ isRepaired }) => isRepaired).length;
    yield { checked: count, repaired, findings, next, oldest: figures?.oldest };
  }
}
