// Copies of a source's properties in the rows of another entity: their definition, the flow that updates them, the cost of a change of a source, and what an audit compares. copy-derivation.ts keeps them with
// every write, and decides which of them are updated at once. A worker writes only what follows from the current rows, so messages may arrive late, twice and in any order.

import type { CallOptions } from '../../concurrency/abort.js';
import type { FlowOptions, Step } from '../../flows/definition.js';
import { type Flow, flow } from '../../flows/flow.js';
import { follow } from '../../flows/follow.js';
import { keyOfJson, rowKeyJson } from '../../flows/key-json.js';
import { addressOfKey } from '../../model/address.js';
import { checkTable } from '../../model/check-table.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { Plan } from '../../model/filter/plan.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import { Attempts, unlessLost } from '../../repo/optimistic.js';
import type { RowDerivation } from '../../repo/write/derivation.js';
import { newIdentity, planConditionCheck } from '../../repo/write/plan-write.js';
import { writePlanned, writeTogether } from '../../repo/write/write-planned.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import {
  AuditedRows,
  type AuditProgress,
  auditOf,
  type Derived,
  readOrFault,
  type Wrong,
} from '../audit/audit.js';
import type { AuditOptions } from '../audit/walk.js';
import { COPY_FLOW_SCHEMA, type CopyInput, deriveCopies, FAN_OUT, planCopies } from './copy-derivation.js';
import { type CopiesPlace, type CopiesSpec, CopyRules } from './copy-rules.js';

/** What a change of a source costs, when copied properties of it change. */
export interface CopiesPlan {
  readonly where: CopiesPlace;
  /** Of the rows with copies. */
  readonly table: string;
  /** How they are found. */
  readonly holders: Plan;
  /** Rows with copies that one transaction, or one message, changes at most. */
  readonly rows: number;
  /** Whether more rows are changed by more messages; otherwise the write is refused, TooManyOperations. */
  readonly goesOn: boolean;
  /** What the writer sends in addition to the source itself. */
  readonly writer: readonly string[];
  /** What a worker sends for each message, and for each row that changes. */
  readonly worker: readonly string[];
}

/** Copies of a source's properties in the rows of another entity. */
export class Copies<H extends AnyEntity, S extends AnyEntity> {
  readonly name: string;
  /** Keeps remote copies. */
  readonly flow: Flow<CopyInput, CopyInput>;
  readonly #rules: CopyRules;
  readonly #derivation: RowDerivation;

  constructor(name: string, spec: CopiesSpec<H, S>, options: FlowOptions<CopyInput> = {}) {
    const { holder, embedded, where } = spec;
    this.name = name;
    this.#rules = new CopyRules(spec as unknown as CopiesSpec);
    if (where === 'same-partition') {
      if (holder.table.toLowerCase() !== embedded.source.table.toLowerCase())
        refuseDefinition(name, `${holder.name} and ${embedded.source.name} are not in one table`);
      checkTable([embedded.source, holder]);
    }
    this.flow = flow(name, COPY_FLOW_SCHEMA, [this.#step()], options);
    this.#derivation = deriveCopies(name, this.#rules, this.flow);
  }

  get #isSamePartition(): boolean {
    return this.#rules.spec.where === 'same-partition';
  }

  /** The message of a write of a source, for programs that write it without this library. */
  ofSource(key: KeyOf<S>): CopyInput {
    return { of: 'source', key: rowKeyJson(this.#rules.spec.embedded.source, key) };
  }

  /** The message of a write of a row with copies, which may have another source now. */
  ofHolder(key: KeyOf<H>): CopyInput {
    return { of: 'holder', key: rowKeyJson(this.#rules.spec.holder, key) };
  }

  /** What a change of the copied properties of this source writes, and how. Nothing is sent. */
  explain(db: Db, key: KeyOf<S>): CopiesPlan {
    const { holder, embedded, holders } = this.#rules.spec;
    const found = holders(db, key);
    const plan = found.explain();
    const shared = { table: holder.table, holders: plan, rows: FAN_OUT };
    if (this.#isSamePartition)
      return {
        ...shared,
        where: 'same-partition',
        goesOn: false,
        writer: [...plan.requests, `POST $batch: ${embedded.source.name}, and each ${holder.name}`],
        worker: [],
      };
    const row = `${holder.table}(${holder.name})`;
    const source = `${embedded.source.table}(${embedded.source.name})`;
    return {
      ...shared,
      where: 'remote',
      goesOn: true,
      writer: [`POST ${this.flow.definition.queues[0]}/messages`],
      worker: [
        ...plan.requests,
        `GET ${row}`,
        `GET ${source}`,
        `MERGE ${row} with If-Match`,
        `GET ${source}`,
      ],
    };
  }

  /** Makes the copies of one row match its source. Throws Contention. */
  async refresh(db: Db, key: KeyOf<H>, options: CallOptions = {}): Promise<void> {
    const { holder, embedded, keyOf } = this.#rules.spec;
    const address = addressOfKey(holder, holder.table, key as never);
    for (const attempts = new Attempts(Db.serviceOf(db).surroundings, options); ; ) {
      const row = await db.repo(holder).get(key as never, options);
      if (row === undefined) return;
      const { patch, source } = await this.#rules.compared(db, row.value as never, options);
      if (patch === undefined) return;
      const written = await unlessLost(() => this.#write(db, row, source, patch, options));
      // A source that was written in between may have been read by others before the copy was there.
      const sourceKey = keyOf(row.value as never);
      const again = sourceKey && (await db.repo(embedded.source).get(sourceKey, options));
      const isAsRead = this.#isSamePartition || again?.etag === source?.etag;
      if (written !== undefined && isAsRead) return;
      await attempts.next(address, row.etag);
    }
  }

  /** Compares copies with their sources, page by page of the rows that have copies. With `repair` those that are not equal are refreshed. */
  audit(db: Db, options: AuditOptions = {}): AsyncGenerator<AuditProgress<H>, void, undefined> {
    const { holder: entity } = this.#rules.spec;
    const { table } = entity;
    const derived: Derived = {
      name: this.name,
      isGuarded: true,
      stock: undefined,
      wrongOf: row => this.#wrongOf(db, row, options),
    };
    const queues = this.#isSamePartition ? [] : this.flow.definition.queues;
    const subject = ['copies', this.name, table, entity.name];
    const rows = new AuditedRows(Db.serviceOf(db), options);
    return auditOf({ subject, entity, table, derived: [derived], queues }, rows) as AsyncGenerator<
      AuditProgress<H>,
      void,
      undefined
    >;
  }

  async #wrongOf(
    db: Db,
    row: StoredOf<AnyEntity>,
    { signal, repair }: AuditOptions,
  ): Promise<Wrong | undefined> {
    const source = this.#rules.sourceOf(row.value);
    const read = await readOrFault(() => this.#rules.faultOf(db, row.value, { signal }));
    if ('fault' in read) return { fault: 'unreadable', address: source ?? row, reason: read.fault };
    const fault = read.row;
    if (fault === undefined) return undefined;
    const refresh = () => this.refresh(db, row.value as KeyOf<H>, { signal });
    if (fault !== 'dangling') return { fault, address: row, repair: refresh };
    // Its copies go; that its source is gone stays for the program to decide.
    if (repair === true) await refresh();
    return { fault, address: row };
  }

  /** By itself, or in the transaction that has the source as it was read. */
  async #write(
    db: Db,
    row: StoredOf<AnyEntity>,
    source: StoredOf<AnyEntity> | undefined,
    patch: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<true> {
    const service = Db.serviceOf(db);
    const identity = newIdentity(service);
    const { deriving, ...planned } = planCopies(service, this.#rules.spec.holder, row)(patch, identity);
    if (this.#isSamePartition && source !== undefined)
      await writeTogether(service, planned, [planConditionCheck(source, identity)], options);
    else
      await writePlanned(
        service,
        { ...planned, ...(deriving && { deriving: { ...deriving, by: this.#derivation } }) },
        options,
      );
    return true;
  }

  #step(): Step<CopyInput> {
    const { holder, embedded } = this.#rules.spec;
    const sourceStep = follow<AnyEntity, CopyInput>({
      name: embedded.name,
      entity: embedded.source,
      key: ({ key }) => keyOfJson(embedded.source, key),
      make: (_, input, { db, signal }) => this.#fanOut(db, input, signal),
    });
    const holderStep = follow<AnyEntity, CopyInput>({
      name: embedded.name,
      entity: holder,
      key: ({ key }) => keyOfJson(holder, key),
      make: (_, { key }, { db, signal }) => this.refresh(db, keyOfJson(holder, key) as KeyOf<H>, { signal }),
    });
    const run: Step<CopyInput>['run'] = (input, context) =>
      (input.of === 'source' ? sourceStep : holderStep).run(input, context) as Promise<undefined>;
    return { name: embedded.name, run };
  }

  /** A page of the rows with copies; the next page is the next message's. */
  async #fanOut(db: Db, input: CopyInput, signal: AbortSignal): Promise<void> {
    const { embedded, holders } = this.#rules.spec;
    const { key, resume } = input;
    const page = await holders(db, keyOfJson(embedded.source, key)).page({ size: FAN_OUT, resume, signal });
    for (const { value } of page.items) await this.refresh(db, value as unknown as KeyOf<H>, { signal });
    if (page.next !== undefined) await this.flow.start(db, { of: 'source', key, resume: page.next });
  }
}
