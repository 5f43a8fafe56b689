// What an audit compares of copies: those in each row with those that its source gives.

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import type { Values } from '../../values/property.js';
import { type AuditProgress, auditOf } from '../audit/audit.js';
import { AuditedRows, readOrFault } from '../audit/audited-rows.js';
import type { Derived, Fault, Wrong } from '../audit/derived.js';
import type { AuditOptions } from '../audit/walk.js';
import type { CopyRules } from './copy-rules.js';

/** What is audited. */
interface AuditedCopies {
  readonly name: string;
  readonly rules: CopyRules;
  /** Of the flow; none where copies are written with their sources. */
  readonly queues: readonly string[];
  refresh(key: KeyOf<AnyEntity>, options: CallOptions): Promise<void>;
}

async function faultOf(
  db: Db,
  rules: CopyRules,
  value: Values,
  options: CallOptions,
): Promise<Fault | undefined> {
  const { hasKey, source, patch } = await rules.compared(db, value, options);
  if (hasKey && source === undefined && rules.spec.whenDeleted === 'refuse') return 'dangling';
  if (patch === undefined) return undefined;
  if (source === undefined) return 'orphan';
  return rules.has(value, undefined) ? 'missing' : 'stale';
}

const derivedOf = (db: Db, { name, rules, refresh }: AuditedCopies, options: AuditOptions): Derived => ({
  name,
  isGuarded: true,
  stock: undefined,
  wrongOf: async (row: StoredOf<AnyEntity>): Promise<Wrong | undefined> => {
    const { signal, repair } = options;
    const key = row.value as KeyOf<AnyEntity>;
    const source = rules.sourceOf(row.value);
    const fault = await readOrFault(() => faultOf(db, rules, row.value, { signal }));
    if ('fault' in fault) return { fault: 'unreadable', address: source ?? row, reason: fault.fault };
    if (fault.row === undefined) return undefined;
    if (fault.row !== 'dangling')
      return { fault: fault.row, address: row, repair: () => refresh(key, { signal }) };
    // Its copies go; that its source is gone stays for the program to decide.
    if (repair === true) await refresh(key, { signal });
    return { fault: fault.row, address: row };
  },
});

export function auditCopies(
  db: Db,
  audited: AuditedCopies,
  options: AuditOptions,
): AsyncGenerator<AuditProgress, void, undefined> {
  const { name, queues, rules } = audited;
  const { holder: entity } = rules.spec;
  const { table } = entity;
  const derived = [derivedOf(db, audited, options)];
  const subject = ['copies', name, table, entity.name];
  const rows = new AuditedRows(Db.serviceOf(db), options);
  return auditOf({ subject, entity, table, derived, queues }, rows);
}
