// Checks the rows: each belongs to a space and has keys that decode and a version that was issued; each pointer of a
// long key leads to a subtree with rows, and each subtree has a pointer. The domain checks the values, through
// `Inspection`.
import type { Inspection, Row, SpaceCount } from '#store';
import { POINTER_MARK, SPACE_BYTES, SUBTREE_BYTES } from '../layout/branches.js';
import { decodeKey, decodePartition, encodePayload, ROW_HEADER_BYTES } from '../layout/rows.js';
import type { CheckedCatalog } from './check-catalog.js';
import type { CheckedContents } from './check-contents.js';
import type { Findings } from './findings.js';
import type { Entry } from './page-tree.js';

interface Subtree {
  readonly space: number;
  /** What the payloads begin with and the keys in the subtree leave out. */
  readonly path: Buffer;
  rows: number;
}

const SHOWN_LENGTH_MAX = 60;

export class CheckedRows {
  droppedRows = 0;
  readonly #catalog: CheckedCatalog;
  readonly #chunk: number;
  readonly #inspection: Inspection;
  readonly #findings: Findings;
  readonly #contents: CheckedContents;
  readonly #subtrees = new Map<bigint, Subtree>();
  readonly #counts = new Map<number, { rows: number; bytes: number }>();

  constructor(
    catalog: CheckedCatalog,
    chunk: number,
    inspection: Inspection,
    findings: Findings,
    contents: CheckedContents,
  ) {
    this.#contents = contents;
    this.#catalog = catalog;
    this.#chunk = chunk;
    this.#inspection = inspection;
    this.#findings = findings;
  }

  /** Adds an entry of the tree `rows`. */
  addRow({ key, value }: Entry): void {
    if (key.length <= SPACE_BYTES)
      this.#findings.add(`rows: the key ${shown(key.toString('hex'))} is too short.`);
    else this.#add(key.readUInt32BE(0), Buffer.alloc(0), key.subarray(SPACE_BYTES), value, 0n);
  }

  /** Adds an entry of the tree `long`. Call after all of `rows` was added. */
  addLong({ key, value }: Entry): void {
    if (key.length <= SUBTREE_BYTES) {
      this.#findings.add(`long: the key ${shown(key.toString('hex'))} is too short.`);
      return;
    }
    const id = key.readBigUInt64BE(0);
    const subtree = this.#subtrees.get(id);
    if (subtree === undefined) {
      this.#findings.add(`long: no pointer leads to the subtree ${id} of a row.`);
      return;
    }
    subtree.rows += 1;
    this.#add(subtree.space, subtree.path, key.subarray(SUBTREE_BYTES), value, id);
  }

  /** Call after all entries were added. */
  finish(): readonly SpaceCount[] {
    for (const [id, { rows, space }] of this.#subtrees) {
      if (rows === 0)
        this.#findings.add(`${this.#nameOf(space)}: a long key leads to the empty subtree ${id}.`);
    }
    return [...this.#catalog.living.values()].map(({ account, service, name, id }) => {
      const { rows, bytes } = this.#counts.get(id) ?? { rows: 0, bytes: 0 };
      return { account, service, name, rows, bytes };
    });
  }

  #add(space: number, path: Buffer, rest: Buffer, value: Buffer, within: bigint): void {
    if (rest.length > this.#chunk) this.#addPointer(space, path, rest, value, within);
    else {
      const payload = path.length === 0 ? rest : Buffer.concat([path, rest]);
      this.#findings.guard(this.#nameOf(space), () => this.#addPayload(space, payload, value));
    }
  }

  #addPointer(space: number, path: Buffer, rest: Buffer, value: Buffer, within: bigint): void {
    const isPointer = rest.length === this.#chunk + 1 && rest[this.#chunk] === POINTER_MARK;
    const id = isPointer && value.length === SUBTREE_BYTES ? value.readBigUInt64BE() : 0n;
    // The subtree of a longer prefix is always created after that of a shorter one.
    if (id <= within || id > this.#catalog.counters.subtreeId || this.#subtrees.has(id)) {
      this.#findings.add(`${this.#nameOf(space)}: the pointer of a long key is damaged.`);
      return;
    }
    this.#subtrees.set(id, {
      space,
      path: Buffer.concat([path, rest.subarray(0, this.#chunk)]),
      rows: 0,
    });
  }

  #addPayload(space: number, payload: Buffer, value: Buffer): void {
    const partition = decodePartition(payload, 0, payload.length);
    const key = decodeKey(payload, 0, payload.length);
    if (!encodePayload(partition, key).equals(payload))
      throw new Error(
        `the key ${shown(payload.toString('hex'))} is not in the form that this program writes.`,
      );
    const named = nameOfRow({ partition, key });
    if (value.length < ROW_HEADER_BYTES) throw new Error(`${named} has no version.`);
    const version = value.readBigUInt64BE();
    const living = this.#catalog.living.get(space);
    const dropped = this.#catalog.dropped.get(space);
    const { tick } = this.#catalog.counters;
    const last = dropped !== undefined && dropped < tick ? dropped : tick;
    if (version > last || (living !== undefined && version < living.created))
      throw new Error(`${named} has a version that was not given out.`);
    if (living === undefined) {
      if (dropped === undefined) throw new Error(`${named} belongs to no space.`);
      this.droppedRows += 1;
      return;
    }
    this.#count(space, value.length);
    const row = { partition, key, version, value: value.subarray(ROW_HEADER_BYTES) };
    const finding =
      this.#inspection.row(living, row) ?? this.#contents.addRow(this.#inspection, living, row, nameOfRow);
    if (finding !== undefined) throw new Error(`${named}: ${finding}`);
  }

  #count(space: number, bytes: number): void {
    const count = this.#counts.get(space) ?? { rows: 0, bytes: 0 };
    count.rows += 1;
    count.bytes += bytes;
    this.#counts.set(space, count);
  }

  #nameOf(id: number): string {
    const space = this.#catalog.living.get(id);
    if (space !== undefined) return `${space.account}/${space.name}`;
    return this.#catalog.dropped.has(id) ? `dropped space ${id}` : `unknown space ${id}`;
  }
}

const nameOfRow = ({ partition, key }: Pick<Row, 'partition' | 'key'>): string =>
  `the row (${shown(partition)}, ${shown(key)})`;

/** On one line, and bounded. */
const shown = (text: string): string =>
  text.length <= SHOWN_LENGTH_MAX
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX))}…`;
