// Compares copies with their sources, page by page of the rows that have copies. Others may write during the audit, so each finding is re-checked before it is reported.

import { allInOrder } from '../../concurrency/in-order.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import type { WireObject } from '../../values/read-wire.js';
import { AuditedRows, readOrFault, unreadable, unreadableRow } from '../audit/audited-rows.js';
import { type AnyFinding, type CheckResult, recheck } from '../audit/recheck.js';
import { type AuditOptions, type Progress, phase, walk } from '../audit/walk.js';
import type { CopyRules } from './copy-rules.js';

/** Options of an audit of copies. */
export interface CopyAuditOptions extends AuditOptions {}

/**
 * What is wrong with the copies of a row: they are `missing`, `stale`, or an `orphan` of no source; `dangling` is a row whose source is gone although its deletion is refused, which an audit does not
 * repair; and `unreadable` is a row with copies, or the source of one, that the audit could not read.
 */
export type CopyFault = 'missing' | 'stale' | 'orphan' | 'dangling' | 'unreadable';

/** A row that should have other copies, or one that cannot be read. */
export interface CopyFinding<H extends AnyEntity = AnyEntity> extends AnyFinding {
  readonly fault: CopyFault;
  /** Of the row with copies; undefined if unknown. */
  readonly key: KeyOf<H> | undefined;
}

/** The state of an audit of copies after a page. Its one phase has the name of the copies. */
export interface CopyAuditProgress<H extends AnyEntity = AnyEntity> extends Progress<CopyFinding<H>> {}

/** What is audited. */
export interface AuditedCopies {
  readonly name: string;
  readonly rules: CopyRules;
  /** Of the flow; none where copies are written with their sources. */
  readonly queues: readonly string[];
  refresh(key: unknown, options: ReadOptions): Promise<void>;
}

type Values = Readonly<Record<string, unknown>>;

class CopyAudit {
  readonly #db: Db;
  readonly #audited: AuditedCopies;
  readonly #options: CopyAuditOptions;
  readonly #rows: AuditedRows;

  constructor(db: Db, audited: AuditedCopies, options: CopyAuditOptions) {
    this.#db = db;
    this.#audited = audited;
    this.#options = options;
    this.#rows = new AuditedRows(Db.serviceOf(db), options);
  }

  run(): AsyncGenerator<CopyAuditProgress, void, undefined> {
    const { name, queues, rules } = this.#audited;
    const { holder } = rules.spec;
    const { concurrency = POINT_CONCURRENCY, signal } = this.#options;
    const holders = phase(name, this.#rows.all(holder, holder.table), rows =>
      allInOrder(rows, { concurrency, signal }, row => this.#checked(row)).then(found => found.flat()),
    );
    const subject = JSON.stringify(['copies', name, holder.table, holder.name]);
    return walk(Db.serviceOf(this.#db), { subject, phases: [holders], queues }, this.#options);
  }

  async #checked(row: WireObject): Promise<readonly CopyFinding[]> {
    const { holder } = this.#audited.rules.spec;
    const read = this.#rows.decoded(holder, holder.table, row);
    if ('fault' in read) return [{ ...unreadableRow(row, holder.table, read.fault), key: undefined }];
    const check = async (times: number): Promise<CheckResult<CopyFinding>> => {
      if (times === 0 && (await this.#sightOf(read.row)) === 'right') return 'right';
      const now = await this.#rows.now(holder, read.row);
      return now === undefined || 'fault' in now ? 'right' : this.#sightOf(now.row);
    };
    const found = await recheck(check, this.#options.repair);
    return found === undefined ? [] : [found];
  }

  async #sightOf(row: StoredOf<AnyEntity>): Promise<CheckResult<CopyFinding>> {
    const { rules, refresh } = this.#audited;
    const value = row.value as Values;
    const key = row.value as KeyOf<AnyEntity>;
    const { table, partitionKey, rowKey } = row;
    const address = await readOrFault(() => rules.sourceOf(value));
    if ('fault' in address) return { finding: { ...unreadable(row, address.fault), key } };
    const fault = await readOrFault(() => this.#faultOf(value));
    if ('fault' in fault) return { finding: { ...unreadable(address.row ?? row, fault.fault), key } };
    if (fault.row === undefined) return 'right';
    const finding = {
      table,
      partitionKey,
      rowKey,
      fault: fault.row,
      key,
      isRepaired: false,
      reason: undefined,
    };
    const { repair, signal } = this.#options;
    if (fault.row !== 'dangling') return { finding, repair: () => refresh(key, { signal }) };
    // Its copies go; that its source is gone stays for the program to decide.
    if (repair === true) await refresh(key, { signal });
    return { finding };
  }

  async #faultOf(value: Values): Promise<CopyFault | undefined> {
    const { rules } = this.#audited;
    const { signal } = this.#options;
    const { hasKey, source, patch } = await rules.compared(this.#db, value, { signal });
    if (hasKey && source === undefined && rules.spec.whenDeleted === 'refuse') return 'dangling';
    if (patch === undefined) return undefined;
    if (source === undefined) return 'orphan';
    return rules.has(value, undefined) ? 'missing' : 'stale';
  }
}

export const auditCopies = (
  db: Db,
  audited: AuditedCopies,
  options: CopyAuditOptions,
): AsyncGenerator<CopyAuditProgress, void, undefined> => new CopyAudit(db, audited, options).run();
