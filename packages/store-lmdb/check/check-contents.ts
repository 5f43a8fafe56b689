// What a check finds in the contents: each one that a row names is there, and has the bytes that the row names. The domain says which those
// are, through `Inspection`. What no row names is not looked for: a server that serves the store reclaims it.
import { readFileSync, statSync } from 'node:fs';
import type { Inspection, NamedContent, Row, Space } from '#store';
import { contentPath } from '../content/content-path.js';
import { decodeKey, decodePartition, encodePayload, encodeSpace, SPACE_BYTES } from '../layout/keys.js';
import type { LogRecord } from '../wal/log-file.js';

const VERSION_BYTES = 8;

interface LoggedChange {
  readonly tick: bigint;
  /** Version and value; undefined for a row that goes. */
  readonly bytes: Buffer | undefined;
}

/** A content that is whole, as far as a check can see. */
export interface SoundContent {
  readonly space: number;
  readonly id: string;
  readonly bytes: number;
}

export class CheckedContents {
  bytes = 0;
  /** By path. */
  readonly #sound = new Map<string, SoundContent>();
  readonly #directory: string;
  /** The last change of each row that stands in the log alone. */
  readonly #logged = new Map<string, LoggedChange>();

  /** `directory` is that of all contents. What stands in `records` replaces the rows that are checked. */
  constructor(directory: string, records: readonly LogRecord[] = []) {
    this.#directory = directory;
    for (const { tick, changes } of records) {
      for (const { key, bytes } of changes) this.#logged.set(key.toString('latin1'), { tick, bytes });
    }
  }

  get sound(): readonly SoundContent[] {
    return [...this.#sound.values()];
  }

  get count(): number {
    return this.#sound.size;
  }

  /** The finding in the contents that a row of the trees names. */
  addRow(inspection: Inspection, space: Space, row: Row): string | undefined {
    if (inspection.contents === undefined || this.#isReplaced(space, row)) return undefined;
    return this.#look(space, inspection.contents(space, row));
  }

  /** Once all rows of the trees were added: those of the log. */
  *finish(inspection: Inspection, living: ReadonlyMap<number, Space>): Iterable<string> {
    if (inspection.contents === undefined) return;
    for (const [key, { bytes }] of this.#logged) {
      const space = living.get(Buffer.from(key, 'latin1').readUInt32BE());
      if (bytes === undefined || space === undefined) continue;
      const row = rowOf(Buffer.from(key, 'latin1'), bytes);
      const finding = this.#look(space, inspection.contents(space, row));
      if (finding !== undefined) yield `${space.account}/${space.name}: a row in data.log: ${finding}`;
    }
  }

  /** What the log has of the row is later, or else the tree has it already. */
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

  #look(space: Space, contents: readonly NamedContent[]): string | undefined {
    for (const content of contents) {
      const finding = this.#lookAt(space, content);
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  #lookAt(space: Space, { id, bytes, names }: NamedContent): string | undefined {
    const path = contentPath(this.#directory, space.id, id);
    if (path === undefined) return 'it names a content by an id that this program does not give.';
    const known = this.#sound.get(path);
    const length = known?.bytes ?? statSync(path, { throwIfNoEntry: false })?.size;
    if (length === undefined) return `the content ${id} is missing.`;
    if (length < bytes) return `the content ${id} has ${length} bytes of ${bytes}.`;
    if (known === undefined) {
      this.#sound.set(path, { space: space.id, id, bytes: length });
      this.bytes += length;
    }
    return names === undefined ? undefined : this.#look(space, names(readFileSync(path)));
  }
}

function rowOf(key: Buffer, bytes: Buffer): Row {
  return {
    partition: decodePartition(key, SPACE_BYTES, key.length),
    key: decodeKey(key, SPACE_BYTES, key.length),
    version: bytes.readBigUInt64BE(),
    value: bytes.subarray(VERSION_BYTES),
  };
}
