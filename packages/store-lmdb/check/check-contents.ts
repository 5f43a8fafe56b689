// Checks the contents: each one that a row names exists, has the bytes that the row names, and these are the bytes that
// were written (read-content.ts). The domain lists them through `Inspection`. Contents that no row names are not looked
// for: the server that serves the store reclaims those.
import { readFileSync, statSync } from 'node:fs';
import type { Inspection, NamedContent, Row, Space } from '#store';
import { contentPath } from '../content/content-path.js';
import { bytesWithin } from '../content/content-sums.js';
import { encodeSpace, SPACE_BYTES } from '../layout/branches.js';
import { decodeKey, decodePartition, encodePayload, ROW_HEADER_BYTES } from '../layout/rows.js';
import type { LogRecord } from '../wal/index.js';
import { counted, type Findings } from './findings.js';
import { type Damage, readContent } from './read-content.js';

interface LoggedChange {
  readonly tick: bigint;
  /** Version and value; undefined for a removed row. */
  readonly bytes: Buffer | undefined;
}

export interface ContentFile {
  readonly path: string;
  readonly space: number;
  readonly id: string;
}

interface SeenContent extends ContentFile {
  readonly fileBytes: number;
  /** Without its checksums. */
  readonly bytes: number;
  isRead: boolean;
  damage: Damage | undefined;
}

/** A row that names it; findings use the words in `of`. */
interface Naming {
  readonly of: string;
  readonly space: Space;
  readonly named: NamedContent;
  readonly seen: SeenContent;
}

/** Reads the whole content and returns what is wrong with it. */
type ReadContentFile = (content: ContentFile, onProgress: () => void) => Promise<Damage | undefined>;

const readOnly: ReadContentFile = ({ path, id }, onProgress) => readContent(path, id, onProgress);

export class CheckedContents {
  bytes = 0;
  /** By path. */
  readonly #seen = new Map<string, SeenContent>();
  readonly #directory: string;
  readonly #read: ReadContentFile;
  /** The last change of each row that is only in the log. */
  readonly #logged = new Map<string, LoggedChange>();
  #unread: Naming[] = [];

  /** `directory` holds all contents. Changes in `records` replace the rows that are checked. */
  constructor(directory: string, records: readonly LogRecord[] = [], read: ReadContentFile = readOnly) {
    this.#directory = directory;
    this.#read = read;
    for (const { tick, changes } of records) {
      for (const { key, bytes } of changes) this.#logged.set(key.toString('latin1'), { tick, bytes });
    }
  }

  /** How many there are, if there are any. */
  notes(): string[] {
    const count = this.#seen.size;
    return count > 0 ? [`${counted(count, 'content')} beside the rows, ${this.bytes} bytes`] : [];
  }

  /** Whether there are contents to read: the fewer rows wait for that the better. */
  get hasUnread(): boolean {
    return this.#unread.length > 0;
  }

  /** Returns the finding in the contents that a row of the trees names, as far as it shows without reading them. */
  addRow(inspection: Inspection, space: Space, row: Row, nameOf: (row: Row) => string): string | undefined {
    if (inspection.contents === undefined || this.#isReplaced(space, row)) return undefined;
    return this.#look(space, inspection.contents(space, row), () => `${nameOfSpace(space)}: ${nameOf(row)}`);
  }

  /** Adds the rows of the log. Call after all rows of the trees were added. */
  addLogged(inspection: Inspection, living: ReadonlyMap<number, Space>, findings: Findings): void {
    if (inspection.contents === undefined) return;
    for (const [key, { bytes }] of this.#logged) {
      const space = living.get(Buffer.from(key, 'latin1').readUInt32BE());
      if (bytes === undefined || space === undefined) continue;
      const row = rowOf(Buffer.from(key, 'latin1'), bytes);
      const of = `${nameOfSpace(space)}: a row in data.log`;
      const finding = this.#look(space, inspection.contents(space, row), () => of);
      if (finding !== undefined) findings.add(`${of}: ${finding}`);
    }
  }

  /** Reads the contents of the added rows, each once, and the contents that those name in turn. */
  async read(findings: Findings, onProgress: () => void): Promise<void> {
    for (let naming = this.#unread.shift(); naming !== undefined; naming = this.#unread.shift()) {
      const { of, space, named, seen } = naming;
      if (!seen.isRead) seen.damage = await this.#read(seen, onProgress);
      seen.isRead = true;
      if (seen.damage !== undefined) findings.add(`${of}: ${textOf(named, seen.damage)}`);
      else if (seen.bytes < named.bytes)
        findings.add(`${of}: ${tooShort(named.id, seen.bytes, named.bytes)}`);
      else if (named.names !== undefined) {
        const finding = this.#look(space, namedBy(named.names, seen), () => of);
        if (finding !== undefined) findings.add(`${of}: ${finding}`);
      }
    }
  }

  /** The row in the log is later, or the tree already has it. */
  #isReplaced(space: Space, row: Row): boolean {
    if (this.#logged.size === 0) return false;
    const payload = encodePayload(row.partition, row.key);
    const key = Buffer.concat([encodeSpace(space.id), payload]).toString('latin1');
    const logged = this.#logged.get(key);
    if (logged === undefined) return false;
    if (logged.tick > row.version) return true;
    this.#logged.delete(key);
    return false;
  }

  #look(space: Space, contents: readonly NamedContent[], of: () => string): string | undefined {
    for (const content of contents) {
      const finding = this.#lookAt(space, content, of);
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  #lookAt(space: Space, named: NamedContent, of: () => string): string | undefined {
    const { id, bytes } = named;
    const path = contentPath(this.#directory, space.id, id);
    if (path === undefined) return 'it names a content by an id that this program does not give.';
    const seen = this.#seen.get(path) ?? seenAt(path, space.id, id);
    if (seen === undefined) return `the content ${id} is missing.`;
    if (seen.fileBytes < bytes) return tooShort(id, seen.fileBytes, bytes);
    if (!this.#seen.has(path)) {
      this.#seen.set(path, seen);
      this.bytes += seen.bytes;
    }
    if (!seen.isRead || seen.damage !== undefined || named.names !== undefined || seen.bytes < bytes)
      this.#unread.push({ of: of(), space, named, seen });
    return undefined;
  }
}

function seenAt(path: string, space: number, id: string): SeenContent | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return undefined;
  return { path, space, id, fileBytes: size, bytes: bytesWithin(size), isRead: false, damage: undefined };
}

const tooShort = (id: string, there: number, named: number): string =>
  `the content ${id} has ${there} bytes of ${named}.`;

const nameOfSpace = ({ account, name }: Space): string => `${account}/${name}`;

/** The contents named inside an intact content. */
const namedBy = (
  names: (bytes: Buffer) => readonly NamedContent[],
  { path, bytes }: SeenContent,
): readonly NamedContent[] => names(readFileSync(path).subarray(0, bytes));

/** With the position in what the row stands for. */
function textOf({ id, where }: NamedContent, damage: Damage): string {
  if (damage.kind === 'file') return `the content ${id} ${damage.text}.`;
  const places = damage.ranges.map(([from, until]) => {
    const place = where?.(from, until);
    return `${from} to ${until - 1}${place === undefined ? '' : `, which are ${place}`}`;
  });
  const more = places.length > 1 ? `; and in ${places.length - 1} more` : '';
  return `the content ${id} is damaged in its bytes ${places[0]}${more}.`;
}

function rowOf(key: Buffer, bytes: Buffer): Row {
  return {
    partition: decodePartition(key, SPACE_BYTES, key.length),
    key: decodeKey(key, SPACE_BYTES, key.length),
    version: bytes.readBigUInt64BE(),
    value: bytes.subarray(ROW_HEADER_BYTES),
  };
}
