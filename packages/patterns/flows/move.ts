// Moves rows to another table or partition by a flow, such as into an archive. At every moment a row is in its old place, its new place, or both:
//
//   1. the row is marked with the id of the run, under its ETag;
//   2. it is copied: created in the other place, or written over an older copy under that one's ETag;
//   3. it is deleted in the first place under the ETag of the version that was copied. If it has changed in between, the move starts again.
//
// The mark distinguishes a row that was changed on its way, and is copied anew, from one that was created after its predecessor had been moved, and stays. Every step is conditional, so steps may be
// repeated, and two workers may do them at once.

import type { CallOptions } from '../concurrency/abort.js';
import { addressOfKey, isSameRow } from '../model/address.js';
import type { AnyEntity, KeyOf, NewOf, Of } from '../model/definition.js';
import type { StoredOf } from '../model/stored.js';
import { Db } from '../repo/open.js';
import { Attempts, unlessLost } from '../repo/optimistic.js';
import { type OperationId, OperationIds } from '../repo/write/operation-id.js';
import type { Repo } from '../repo/write/repo.js';
import { refuseDefinition, refuseValue } from '../values/pattern-error.js';
import { MARKS } from '../values/row-member.js';
import { encodeProperty, type WireProperty } from '../values/wire-property.js';
import { define, type FlowOptions, type StepContext } from './definition.js';
import { Flow, type StartOptions } from './flow.js';
import { type KeyJson, keyOfJson, keySchema, rowKeyJson } from './key-json.js';

/** The old and the new place. */
interface MoveSpec<F extends AnyEntity, T extends AnyEntity> {
  readonly from: F;
  readonly to: T;
  /** The table of `from` by default. */
  readonly fromTable?: string;
  /** The table of `to` by default. */
  readonly toTable?: string;
  /** The value in the new place; by default the same, if the entity is. */
  readonly become?: NoInfer<(value: Of<F>) => NewOf<T>>;
  /** The key in the new place; by default the same, if the entity is. */
  readonly keyOf?: NoInfer<(key: KeyOf<F>) => KeyOf<T>>;
}

/** A row and its place. */
export type Found<F extends AnyEntity, T extends AnyEntity> =
  | { readonly place: 'from'; readonly row: StoredOf<F> }
  | { readonly place: 'to'; readonly row: StoredOf<T> };

/** The mark: the run's id; in a copy, the ETag of the copied version before it. */
const MARK = MARKS.moved;

const markText = ({ unknown }: StoredOf<AnyEntity>): string | undefined => {
  const property = unknown.find(({ name, type }) => name === MARK && type === 'String');
  return property && String(JSON.parse(property.literal));
};

const marked = (text: string): WireProperty => encodeProperty(MARK, 'String', text);

/** The run that made a copy. ETags have no blanks. */
const runOf = (copy: StoredOf<AnyEntity>): string | undefined =>
  /^\S+ (.*)$/s.exec(markText(copy) ?? '')?.[1];

/** The ids of a program, whose writes of whole rows leave these properties next to the id. */
class CarryingIds extends OperationIds {
  readonly #carried: readonly WireProperty[];

  constructor(ids: OperationIds, carried: readonly WireProperty[]) {
    super(ids, ids.chance);
    this.#carried = carried;
  }

  override added(operationId: OperationId, unknown: readonly WireProperty[]): readonly WireProperty[] {
    const names = new Set(this.#carried.map(({ name }) => name));
    const others = super.added(operationId, unknown).filter(({ name }) => !names.has(name));
    return [...others, ...this.#carried];
  }
}

type Checked<F extends AnyEntity, T extends AnyEntity> = Required<MoveSpec<F, T>>;

/** One row in one run of the flow. */
class Passage<F extends AnyEntity, T extends AnyEntity> {
  readonly #spec: Checked<F, T>;
  readonly #key: KeyOf<F>;
  readonly #context: StepContext;
  readonly #from: Repo<F>;
  readonly #to: Repo<T>;

  constructor(spec: Checked<F, T>, key: KeyOf<F>, context: StepContext) {
    this.#spec = spec;
    this.#key = key;
    this.#context = context;
    this.#from = context.db.repo(spec.from, { table: spec.fromTable });
    this.#to = context.db.repo(spec.to, { table: spec.toTable });
  }

  async run(): Promise<void> {
    const { db, signal } = this.#context;
    const address = addressOfKey(this.#spec.from, this.#spec.fromTable, this.#key);
    for (const attempts = new Attempts(Db.serviceOf(db).surroundings, { signal }); ; ) {
      const row = await this.#from.get(this.#key, { signal });
      if (row === undefined) return this.#tellMissing();
      if (await this.#pass(row)) return;
      await attempts.next(address, row.etag);
    }
  }

  /** Whether the move is complete. */
  async #pass(row: StoredOf<F>): Promise<boolean> {
    const isMarked = markText(row) === this.#context.id;
    if (!isMarked && (await this.#isSuccessor())) return true;
    const going = isMarked ? row : await unlessLost(() => this.#mark(row));
    if (going === undefined || !(await this.#copy(going))) return false;
    const { signal } = this.#context;
    const gone = await unlessLost(async () => {
      await this.#from.delete(going, { signal });
      return true;
    });
    return gone ?? false;
  }

  /** This run moved a predecessor, and the row was created afterwards. */
  async #isSuccessor(): Promise<boolean> {
    const { id, signal, note } = this.#context;
    const copy = await this.#to.get(this.#spec.keyOf(this.#key), { signal });
    if (copy === undefined || runOf(copy) !== id) return false;
    note('the row was moved, and is there again: what is there stays');
    return true;
  }

  #mark(row: StoredOf<F>): Promise<StoredOf<F>> {
    const { id, signal } = this.#context;
    const unknown = [...row.unknown.filter(({ name }) => name !== MARK), marked(id)];
    return this.#from.replace({ ...row, unknown }, row.value as NewOf<F>, { signal });
  }

  /** Whether the copy is of this version. */
  async #copy(row: StoredOf<F>): Promise<boolean> {
    const { id, signal, note } = this.#context;
    const value = this.#spec.become(row.value);
    const text = `${row.etag} ${id}`;
    const mark = marked(text);
    const created = await unlessLost(() => this.#copying(row, mark).create(value, { signal }));
    if (created !== undefined) return true;
    const copy = await this.#to.get(this.#spec.keyOf(this.#key), { signal });
    if (copy === undefined) return false;
    if (markText(copy) === text) return true;
    // A later version could only be copied after this read, and then the copy differs.
    const now = await this.#from.get(this.#key, { signal });
    if (now?.etag !== row.etag) return false;
    if (runOf(copy) !== id) note('another row was there already, and is written over');
    const unknown = [...this.#kept(row), mark];
    const replaced = await unlessLost(() => this.#to.replace({ ...copy, unknown }, value, { signal }));
    return replaced !== undefined;
  }

  /** A repository whose new rows keep the row's properties beyond its entity. */
  #copying(row: StoredOf<F>, mark: WireProperty): Repo<T> {
    const service = Db.serviceOf(this.#context.db);
    const ids = service.operationIds;
    const operationIds = ids && new CarryingIds(ids, [...this.#kept(row), mark]);
    return new Db({ ...service, operationIds }).repo(this.#spec.to, { table: this.#spec.toTable });
  }

  #kept({ unknown }: StoredOf<F>): readonly WireProperty[] {
    const { to } = this.#spec;
    const own = Db.serviceOf(this.#context.db).operationIds?.property;
    return unknown.filter(
      ({ name }) => name !== MARK && name !== own && name !== to.tag && !to.plan.byWire.has(name),
    );
  }

  async #tellMissing(): Promise<void> {
    const { signal, note } = this.#context;
    const copy = await this.#to.get(this.#spec.keyOf(this.#key), { signal });
    if (copy === undefined) note('there is no such row in either place');
  }
}

/** Rows that move from one table or partition to another. At every moment each is in one of them. */
export class Move<F extends AnyEntity, T extends AnyEntity> {
  /** Its queues, workers, figures and poison. */
  readonly flow: Flow<KeyJson, KeyJson>;
  readonly #spec: Checked<F, T>;

  constructor(name: string, spec: Checked<F, T>, options: FlowOptions<KeyJson>) {
    this.#spec = spec;
    const run = (json: KeyJson, context: StepContext): Promise<void> => {
      const key = keyOfJson(spec.from, json);
      this.#refuseSamePlace(key);
      if (Db.serviceOf(context.db).operationIds === undefined)
        refuseDefinition(name, 'rows are moved by marks that go with operation ids');
      return new Passage(spec, key, context).run();
    };
    this.flow = new Flow(define(name, keySchema(spec.from), [{ name: 'move', run }], options));
  }

  /** Starts the move of the row of this key. Returns the run's id. */
  async start(db: Db, key: KeyOf<F>, options: StartOptions = {}): Promise<string> {
    this.#refuseSamePlace(key);
    return this.flow.start(db, rowKeyJson(this.#spec.from, key), options);
  }

  /** The row in either place, first the old one; undefined if there is none. */
  async get(db: Db, key: KeyOf<F>, options: CallOptions = {}): Promise<Found<F, T> | undefined> {
    const { from, to, fromTable, toTable, keyOf } = this.#spec;
    const first = db.repo(from, { table: fromTable });
    const row = await first.get(key, options);
    if (row !== undefined) return { place: 'from', row };
    // The copy precedes the delete, so a row missing here is there.
    const copy = await db.repo(to, { table: toTable }).get(keyOf(key), options);
    if (copy !== undefined) return { place: 'to', row: copy };
    // Another move may have brought it back between the two reads.
    const again = await first.get(key, options);
    return again && { place: 'from', row: again };
  }

  #refuseSamePlace(key: KeyOf<F>): void {
    const { from, to, fromTable, toTable, keyOf } = this.#spec;
    const [a, b] = [addressOfKey(from, fromTable, key), addressOfKey(to, toTable, keyOf(key))];
    if (a.table.toLowerCase() === b.table.toLowerCase() && isSameRow(a, b))
      refuseValue('key', 'one that changes', 'the row would be moved to where it is');
  }
}

/** Defines how rows are moved. Throws DefinitionInvalid. */
export function move<F extends AnyEntity, T extends AnyEntity>(
  name: string,
  spec: MoveSpec<F, T>,
  options: FlowOptions<KeyJson> = {},
): Move<F, T> {
  const { from, to, fromTable = from.table, toTable = to.table } = spec;
  const isSame: boolean = (from as AnyEntity) === (to as AnyEntity);
  if (!isSame && (spec.become === undefined || spec.keyOf === undefined))
    refuseDefinition(name, `how ${from.name} becomes ${to.name} is said by become and keyOf`);
  const onlyHere = to.plan.fields.find(({ property }) => property.pieces?.onlyHere !== undefined);
  if (onlyHere !== undefined)
    refuseDefinition(
      name,
      `${onlyHere.name} of ${to.name} ${onlyHere.property.pieces?.onlyHere}; read the row there and write it here, by encryption()`,
    );
  if (from.plan.rebucketing ?? to.plan.rebucketing)
    refuseDefinition(name, 'the number of buckets of its entities is being changed');
  const {
    become = (value: Of<F>): NewOf<T> => value as unknown as NewOf<T>,
    keyOf = (key: KeyOf<F>): KeyOf<T> => key as unknown as KeyOf<T>,
  } = spec;
  return new Move(name, { from, to, fromTable, toTable, become, keyOf }, options);
}
