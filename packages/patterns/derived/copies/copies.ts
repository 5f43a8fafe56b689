// Copies of a source's properties in the rows of another entity, kept with every write of either. In one partition that is one transaction:
//
//   a source that changes     the rows with copies are read, and written with it under their ETags
//   a row that takes another source    the source is read, and its ETag checked in the transaction, which gives it a new one
//   a source that is deleted    as the policy defines; a row that takes it at the same time has given it a new ETag, so that one of the two is refused
//
// For remote copies a message is sent to a flow before the write. A worker writes only what follows from the current rows, so messages may arrive late, twice and in any order.

import type { CallOptions } from '../../concurrency/abort.js';
import type { FlowOptions, Step } from '../../flows/definition.js';
import { type Flow, flow } from '../../flows/flow.js';
import { follow } from '../../flows/follow.js';
import { type KeyJson, keyOfJson, rowKeyJson } from '../../flows/key-json.js';
import { addressOfKey } from '../../model/address.js';
import { checkTable } from '../../model/check-table.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { Plan } from '../../model/filter/plan.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import { Attempts, unlessLost } from '../../repo/optimistic.js';
import type { JoinedRow, RowDerivation, WrittenRow } from '../../repo/write/derivation.js';
import { OPERATIONS } from '../../repo/write/operations.js';
import { newIdentity, planConditionCheck, subjectOf } from '../../repo/write/plan-write.js';
import type { Identity, PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import type { Service } from '../../repo/write/service.js';
import { derive } from '../../repo/write/write-deriving.js';
import { writePlanned, writeTogether } from '../../repo/write/write-planned.js';
import type { SentMessage } from '../../transport/messages/announce.js';
import { isObject } from '../../values/is-object.js';
import { PatternError, refuseDefinition, refuseValue, rowText } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { schemaOf } from '../../values/standard-schema.js';
import {
  AuditedRows,
  type AuditProgress,
  auditOf,
  type Derived,
  readOrFault,
  type Wrong,
} from '../audit/audit.js';
import type { AuditOptions } from '../audit/walk.js';
import { type CopiesPlace, type CopiesSpec, CopyRules, copiesOf, copyNames } from './copy-rules.js';

/** The contents of a message: the row that was written, and the position to continue from among the rows with copies of it. */
export interface CopyInput {
  readonly of: 'source' | 'holder';
  readonly key: KeyJson;
  readonly resume?: string;
}

const isInput = (value: unknown): value is CopyInput =>
  isObject(value) && (value.of === 'source' || value.of === 'holder') && isObject(value.key);

const COPY_FLOW_SCHEMA = schemaOf(isInput, 'should name a row');

/** Rows that are changed together with their source: of a hundred operations the source takes one. */
const FAN_OUT = 99;

/** What writes copies in a row, as it was read. Their derivations have nothing to do with it. */
const planCopies =
  (service: Service, holder: AnyEntity, row: StoredOf<AnyEntity>) =>
  (patch: Values, identity: Identity): PlannedWrite<WriteResult> =>
    OPERATIONS.merge(subjectOf(service, holder, row.table, identity), row, patch as never);

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
  readonly #ofHolder: RowDerivation;

  constructor(name: string, spec: CopiesSpec<H, S>, options: FlowOptions<CopyInput> = {}) {
    const { holder, embedded } = spec;
    this.name = name;
    this.#rules = new CopyRules(spec as unknown as CopiesSpec);
    if (this.#rules.isSamePartition) {
      if (holder.table.toLowerCase() !== embedded.source.table.toLowerCase())
        refuseDefinition(name, `${holder.name} and ${embedded.source.name} are not in one table`);
      checkTable([embedded.source, holder]);
    }
    this.flow = flow(name, COPY_FLOW_SCHEMA, [this.#step()], options);
    this.#ofHolder = this.#holderDerivation();
    derive(embedded.source, this.#sourceDerivation());
    derive(holder, this.#ofHolder);
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
    if (this.#rules.isSamePartition)
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
      const sourceKey = this.#rules.isSamePartition ? undefined : keyOf(row.value as never);
      const again = sourceKey ? await db.repo(embedded.source).get(sourceKey, options) : source;
      if (written !== undefined && again?.etag === source?.etag) return;
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
    const queues = this.#rules.isSamePartition ? [] : this.flow.definition.queues;
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
    if (this.#rules.isSamePartition && source !== undefined)
      await writeTogether(service, planned, [planConditionCheck(source, identity)], options);
    else
      await writePlanned(
        service,
        { ...planned, ...(deriving && { deriving: { ...deriving, by: this.#ofHolder } }) },
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

  /** Of rows with copies: in the transaction of their source, or by the flow. */
  #holderDerivation(): RowDerivation {
    const rules = this.#rules;
    const { name } = this;
    const { embedded, whenDeleted } = rules.spec;
    const announce: RowDerivation['announce'] = async (service, row, options) => {
      if (!rules.changesCopies(row)) return undefined;
      if (!rules.keepsSource(row) && whenDeleted === 'refuse')
        await this.#sourceFor(service, row.after, options);
      return this.#announce('holder', service, row, options);
    };
    if (!rules.isSamePartition) return { name, reads: [], writes: [], announce };
    const join: RowDerivation['join'] = async (service, row, options) => {
      if (!rules.changesCopies(row)) return undefined;
      const { before, after, address, identity } = row;
      if (rules.keepsSource(row)) return { set: rules.kept(before?.value ?? {}) };
      const at = rules.sourceOf(after);
      if (at === undefined) return { set: copiesOf(embedded, undefined, undefined) };
      if (at.partitionKey !== address.partitionKey)
        refuseValue(
          name,
          `a source in the partition ${address.partitionKey}`,
          `it is in ${at.partitionKey}, and copies of the kind 'same-partition' are written with their source`,
        );
      const source = await this.#sourceFor(service, after, options);
      const version = identity?.operationId ?? source.etag;
      const touched = { row: source, patch: {}, plan: planCopies(service, embedded.source, source) };
      return { set: copiesOf(embedded, source.value, version), rows: [touched] };
    };
    return { name, reads: [], writes: copyNames(embedded), join };
  }

  #sourceDerivation(): RowDerivation {
    const rules = this.#rules;
    const { embedded, whenDeleted, holder } = rules.spec;
    const shared = { name: this.name, reads: embedded.fields, writes: [] };
    const announce: RowDerivation['announce'] = async (service, row, options) => {
      if (!rules.changesSource(row)) return undefined;
      await this.#refuseUsed(service, row, options);
      return this.#announce('source', service, row, options);
    };
    if (!rules.isSamePartition) return { ...shared, announce };
    const join: RowDerivation['join'] = async (service, row, options) => {
      if (!rules.changesSource(row)) return undefined;
      await this.#refuseUsed(service, row, options);
      const { after, before, identity } = row;
      // No row takes copies of a missing row, so nothing waits for a new one; and what is refused has none.
      if (whenDeleted === 'refuse' && (before === undefined || after === undefined)) return undefined;
      const version = after === undefined ? undefined : (identity?.operationId ?? before?.etag ?? 'new');
      const patch = copiesOf(embedded, after, version);
      const rows: JoinedRow[] = [];
      for await (const each of rules.holdersOf(new Db(service), after ?? before?.value ?? {}, options)) {
        rows.push({ row: each, patch, plan: planCopies(service, holder, each) });
        if (rows.length > FAN_OUT)
          throw new PatternError('TooManyOperations', { operations: 1 + rows.length, limit: 1 + FAN_OUT });
      }
      return { rows };
    };
    return { ...shared, join };
  }

  #announce(
    of: CopyInput['of'],
    service: Service,
    { entity, before, after, identity }: WrittenRow,
    { signal }: CallOptions,
  ): Promise<SentMessage> {
    const input: CopyInput = { of, key: rowKeyJson(entity, after ?? before?.value ?? {}) };
    const deletes = after === undefined;
    return this.flow.announce(new Db(service), input, identity?.operationId, { deletes, signal });
  }

  /** Throws SourceInUse if a source is deleted, the policy refuses that, and a row has copies of it. */
  async #refuseUsed(
    service: Service,
    { address, before, after }: WrittenRow,
    options: CallOptions,
  ): Promise<void> {
    if (after !== undefined || this.#rules.spec.whenDeleted !== 'refuse') return;
    const holders = this.#rules.holdersOf(new Db(service), before?.value ?? {}, options);
    for await (const { table, partitionKey, rowKey } of holders) {
      const by = { table, partitionKey, rowKey };
      const sentence = `The row ${rowText(address)} stays, because ${rowText(by)} has copies of it: ${this.name} refuses its deletion.`;
      throw new PatternError('SourceInUse', { ...address, copies: this.name, by }, { sentence });
    }
  }

  /** The source of a row that takes its copies. Throws SourceMissing. */
  async #sourceFor(service: Service, value: Values, options: CallOptions): Promise<StoredOf<AnyEntity>> {
    const { keyOf, embedded } = this.#rules.spec;
    const key = keyOf(value as never);
    const source = key && (await new Db(service).repo(embedded.source).get(key, options));
    const address = this.#rules.sourceOf(value);
    if (source === undefined && address !== undefined) {
      const sentence = `There is no row ${rowText(address)}, of which ${this.name} takes copies.`;
      throw new PatternError('SourceMissing', { ...address, copies: this.name }, { sentence });
    }
    return source as StoredOf<AnyEntity>;
  }
}
