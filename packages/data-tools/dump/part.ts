// A part of a table's dump: the rows of one shard, as lines in a work file, with their partition sums in a second file.
// A part is resumed from a checkpoint: what came after it is cut off, and what precedes it is read again for the sums.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBoth, formatContent } from '../line/line.js';
import { readRow } from '../line/read-rows.js';
import type { Key, Row } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';
import { textLines } from '../line/text-lines.js';
import type { ShardSink } from '../run/move-shards.js';
import type { Reached } from '../run/shard-state.js';
import { formatPartition, PartitionSums } from './partition-sums.js';

export interface Checkpoint {
  readonly bytes: number;
  readonly rows: number;
}

export interface PartEnd {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export const partPath = (work: string, shard: number): string => join(work, `${shard}.jsonl`);

/** Length of lines that are gathered before they are written: a page of small rows. */
const TEXT_LENGTH_MAX = 1_048_576;

export class Part implements ShardSink<Checkpoint, PartEnd> {
  readonly path: string;
  readonly #lines: FileHandle;
  readonly #sums: FileHandle;
  readonly #partitions = new PartitionSums();
  readonly #hash: Hash = createHash('sha256');
  #rows = 0;
  #bytes = 0;
  #last: Key | undefined;

  private constructor(path: string, lines: FileHandle, sums: FileHandle) {
    this.path = path;
    this.#lines = lines;
    this.#sums = sums;
  }

  /** The path of a part's partition sums. */
  static sumsPath(path: string): string {
    return `${path}.partitions`;
  }

  /** Continues a part at its checkpoint, or begins again if there is none or the file is shorter than it states. */
  static async open(path: string, from: Checkpoint | undefined): Promise<Part> {
    const lines = await open(path, from === undefined ? 'w+' : 'a+');
    const sums = await open(Part.sumsPath(path), 'w');
    const part = new Part(path, lines, sums);
    if (from === undefined) return part;
    const { size } = await lines.stat();
    await lines.truncate(size < from.bytes ? 0 : from.bytes);
    if (size >= from.bytes) await part.#readAgain();
    return part;
  }

  async #readAgain(): Promise<void> {
    const shape = new RowShape();
    for await (const lines of textLines(createReadStream(this.path))) {
      let sums = '';
      for (const { text, end } of lines) {
        const row = readRow(text, shape);
        sums += this.#sum(row, formatContent(row));
        this.#bytes = end;
        this.#last = { partitionKey: row.partitionKey, rowKey: row.rowKey };
        this.#hash.update(text).update('\n');
      }
      if (sums !== '') await this.#sums.appendFile(sums);
    }
  }

  #sum({ partitionKey }: Row, content: string): string {
    this.#rows++;
    const ended = this.#partitions.add(partitionKey, content);
    return ended === undefined ? '' : formatPartition(ended);
  }

  get rows(): number {
    return this.#rows;
  }

  /** The last written row; a resumed part continues after it. */
  get last(): Key | undefined {
    return this.#last;
  }

  async #writeText(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    await this.#lines.appendFile(bytes);
    this.#bytes += bytes.length;
  }

  async write(rows: readonly Row[]): Promise<number> {
    let text = '';
    let sums = '';
    for (const row of rows) {
      const { line, content } = formatBoth(row);
      text += `${line}\n`;
      sums += this.#sum(row, content);
      if (text.length < TEXT_LENGTH_MAX) continue;
      await this.#writeText(text);
      text = '';
    }
    if (text !== '') await this.#writeText(text);
    if (sums !== '') await this.#sums.appendFile(sums);
    const { partitionKey, rowKey } = rows.at(-1) ?? { partitionKey: '', rowKey: '' };
    this.#last = { partitionKey, rowKey };
    return rows.length;
  }

  /** Everything written so far survives a power cut; undefined before the first row. */
  async checkpoint(): Promise<Reached<Checkpoint> | undefined> {
    if (this.#last === undefined) return undefined;
    await this.#lines.datasync();
    return { last: this.#last, state: { bytes: this.#bytes, rows: this.#rows } };
  }

  async end(): Promise<PartEnd> {
    const last = this.#partitions.end();
    if (last !== undefined) await this.#sums.appendFile(formatPartition(last));
    await this.#lines.datasync();
    await this.close();
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async close(): Promise<void> {
    await this.#lines.close();
    await this.#sums.close();
  }
}
