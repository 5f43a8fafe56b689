// Compares the lists of an entity with its rows: for each row whether its list has its id, then for each id of a list whether its row belongs there. Others write meanwhile: what is wrong is looked at
// again before it is told, and once more after it was set right.
import { allInOrder } from '../flow/in-order.js';
import { decodeEntity } from '../model/decode-entity.js';
import type { AnyEntity, Of } from '../model/entity.js';
import { EntityReads } from '../read/reads.js';
import { POINT_CONCURRENCY } from '../read/table-query.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { PatternError, refuseValue } from '../values/pattern-error.js';
import { oldestMessage } from '../workflow/oldest-message.js';
import { querySettings, type Service } from '../write/service.js';
import { addressOfId, type EntityList, idOf, partsOfKey, textOfKey } from './entity-list.js';
import { type IdStore, storeOf } from './id-store.js';
import { flowOf } from './list-keeper.js';
import { isIn, membersOf } from './list-members.js';
import { HEAD, type Values } from './list-rows.js';

/** What an audit of lists does with what it finds, and where it goes on. */
export interface ListAuditOptions extends ReadOptions {
  /** Where the entity's rows stand, if not in its table. */
  readonly table?: string | undefined;
  /** Puts ids in that are missing, and takes orphans out. */
  readonly repair?: boolean | undefined;
  /** The `next` of the last progress that was seen. */
  readonly resume?: string | undefined;
  /** Rows of a page; 100 by default. */
  readonly size?: number | undefined;
}

/** An id that should be in a list and is not, or is in it and should not be. A list holds ids and nothing of the rows, so an id is missing or an orphan, and never stale. */
export interface ListFinding {
  readonly fault: 'missing' | 'orphan';
  readonly id: string;
  /** Of the list. */
  readonly key: Values;
  readonly isRepaired: boolean;
}

/** Where an audit of lists is after a page. */
export interface ListAuditProgress {
  readonly phase: 'entities' | 'lists';
  /** Rows of the entity, then lists, of this run. */
  readonly checked: number;
  /** Of this page. */
  readonly findings: readonly ListFinding[];
  /** By which to go on; undefined at the end. */
  readonly next: string | undefined;
  /** Since the oldest message was sent that no worker of the list's flow has in hand, in milliseconds, as this run began: a finding may be what it will set right. Undefined if there is none. */
  readonly oldest: number | undefined;
}

const PAGE_SIZE = 100;
/** Times that a row is looked at again because others write it. */
const LOOKS = 8;
const PHASES = ['entities', 'lists'] as const;

export class ListAudit {
  readonly #service: Service;
  readonly #list: EntityList;
  readonly #store: IdStore;
  readonly #table: string;
  readonly #options: ListAuditOptions;

  constructor(service: Service, list: EntityList, options: ListAuditOptions) {
    this.#service = service;
    this.#list = list;
    this.#store = storeOf(service, list, { table: options.table });
    this.#table = options.table ?? list.owner.table;
    this.#options = options;
  }

  async *run(): AsyncGenerator<ListAuditProgress, void, undefined> {
    const { size = PAGE_SIZE, signal, resume } = this.#options;
    const [from, page] = placeOf(resume);
    const queues = flowOf(this.#list)?.definition.queues ?? [];
    const oldest = await oldestMessage(this.#service, queues, { signal });
    let checked = 0;
    const phases = this.#list.home.kind === 'blobs' ? PHASES.slice(0, 1) : PHASES;
    for (const [at, phase] of phases.entries()) {
      if (at < from) continue;
      const pages = this.#rows(phase).pages({ size, signal, resume: at === from ? page : undefined });
      let isDone = false;
      for await (const { items, next } of pages) {
        const findings = phase === 'entities' ? await this.#missing(items) : await this.#orphans(items);
        checked += items.length;
        isDone = next === undefined;
        yield {
          phase,
          checked,
          findings,
          next: isDone ? afterPhase(at, phases.length) : `${at} ${next}`,
          oldest,
        };
      }
      if (!isDone) yield { phase, checked, findings: [], next: afterPhase(at, phases.length), oldest };
    }
  }

  #rows(phase: ListAuditProgress['phase']) {
    const { owner, home, where } = this.#list;
    if (phase === 'entities')
      return new EntityReads(owner, querySettings(this.#service, this.#table))
        .scan()
        .allowScan('an audit reads all rows');
    if (home.kind === 'blobs') refuseValue('list', 'a list in rows', 'the lists in blobs cannot be walked');
    const isBeside = where === 'same-partition' || home.list.table === owner.table;
    const table = isBeside ? this.#table : home.list.table;
    const rows = new EntityReads(home.list.rows, querySettings(this.#service, table));
    return rows.scan().allowScan('an audit reads all lists');
  }

  async #missing(
    rows: readonly { readonly value: unknown; readonly partitionKey: string; readonly rowKey: string }[],
  ): Promise<readonly ListFinding[]> {
    const wanted = rows.flatMap(row => {
      const key = this.#list.keyOf(row.value as Of<AnyEntity>);
      return key === undefined ? [] : [{ key, text: textOfKey(this.#list, key), id: idOf(this.#list, row) }];
    });
    const byText = new Map(wanted.map(({ text, key }) => [text, key]));
    const ids = new Map<string, ReadonlySet<string>>();
    for (const [text, key] of byText) ids.set(text, new Set(await this.#store.ids(key, this.#options)));
    return this.#settledAll(wanted.filter(({ text, id }) => ids.get(text)?.has(id) !== true));
  }

  async #orphans(rows: readonly { readonly value: unknown }[]): Promise<readonly ListFinding[]> {
    const { home } = this.#list;
    if (home.kind === 'blobs') return [];
    const names = partsOfKey(this.#list);
    const found: ListFinding[] = [];
    for (const { value } of rows) {
      const values = value as Values;
      if (values.listRow !== HEAD) continue;
      const key = Object.fromEntries(names.map(name => [name, values[name]]));
      const { signal } = this.#options;
      const { stale } = await membersOf(this.#service, this.#list, this.#store, this.#table, key, { signal });
      found.push(...(await this.#settledAll(stale.map(({ id }) => ({ key, id })))));
    }
    return found;
  }

  async #settledAll(
    wrong: readonly { readonly key: Values; readonly id: string }[],
  ): Promise<readonly ListFinding[]> {
    const { signal } = this.#options;
    const found = await allInOrder(wrong, { concurrency: POINT_CONCURRENCY, signal }, ({ key, id }) =>
      this.#settled(key, id),
    );
    return found.flatMap(each => each ?? []);
  }

  /** What is wrong still; undefined if it was a write under way. */
  async #settled(key: Values, id: string): Promise<ListFinding | undefined> {
    let finding: ListFinding | undefined;
    for (let look = 0; look < LOOKS; look++) {
      const before = await this.#look(key, id);
      const isThere = (await this.#store.ids(key, this.#options)).includes(id);
      if (isThere === before.isWanted) return finding;
      if ((await this.#look(key, id)).etag !== before.etag) continue;
      finding = { fault: isThere ? 'orphan' : 'missing', id, key, isRepaired: this.#options.repair === true };
      if (!finding.isRepaired) return finding;
      await this.#store.change(key, new Map([[id, before.isWanted]]), this.#options);
    }
    return finding;
  }

  /** Whether the row of the id belongs in the list. */
  async #look(
    key: Values,
    id: string,
  ): Promise<{ readonly isWanted: boolean; readonly etag: string | undefined }> {
    const address = addressOfId(this.#list, this.#table, key, id);
    const found = address && (await this.#service.requests.get(address, this.#options));
    if (found === undefined) return { isWanted: false, etag: undefined };
    const { onDrift } = this.#service;
    const { value } = decodeEntity(this.#list.owner, found.row, {
      table: this.#table,
      onDrift,
      etag: found.etag,
    });
    return { isWanted: isIn(this.#list, key, value), etag: found.etag };
  }
}

const afterPhase = (at: number, phases: number): string | undefined =>
  at + 1 < phases ? `${at + 1} ` : undefined;

/** Throws TokenMismatch. */
function placeOf(token: string | undefined): readonly [phase: number, page: string | undefined] {
  if (token === undefined) return [0, undefined];
  const [, phase, page] = /^([01]) (.*)$/s.exec(token) ?? [];
  if (phase === undefined)
    throw new PatternError('TokenMismatch', { reason: 'it is none of an audit of lists' });
  return [Number(phase), page === '' ? undefined : page];
}
