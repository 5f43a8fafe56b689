// A part of a table's dump: the rows of one shard, as lines in a work file, and in a second file a line per partition,
// `{"PartitionKey":…,"rows":…,"checksum":…}`. A part is resumed from a checkpoint: what came after it is cut off, and
// what precedes it is read again for the sums. A partition that is split between two parts has a line in the sums of
// each; `joined` merges them.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Checksum } from '../line/checksum.js';
import { formatBoth, formatContent } from '../line/line.js';
import { formatString } from '../line/literal.js';
import { readRow } from '../line/read-rows.js';
import type { Key, Row } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';
import { textLines } from '../line/text-lines.js';
import { syncFile } from '../run/files.js';
import type { ShardSink } from '../run/move-shards.js';

export interface PartitionSum {
  readonly partitionKey: string;
  readonly rows: number;
  readonly checksum: Checksum;
}

export const formatPartition = ({ partitionKey, rows, checksum }: PartitionSum): string =>
  `{"PartitionKey":${formatString(partitionKey)},"rows":${rows},"checksum":"${checksum}"}\n`;

export function parsePartition(line: string): PartitionSum {
  const { PartitionKey, rows, checksum } = JSON.parse(line) as {
    PartitionKey: string;
    rows: number;
    checksum: string;
  };
  return { partitionKey: PartitionKey, rows, checksum: Checksum.parse(checksum) };
}

/** Sums up rows in order. */
export class PartitionSums {
  #key: string | undefined;
  #rows = 0;
  #checksum = new Checksum();

  /** Returns the previous partition if the row begins another. `content` is its line without the Timestamp. */
  add(partitionKey: string, content: string): PartitionSum | undefined {
    const before = partitionKey === this.#key ? undefined : this.end();
    this.#key = partitionKey;
    this.#rows++;
    this.#checksum.addContent(content);
    return before;
  }

  /** The last partition; undefined if there was no row. */
  end(): PartitionSum | undefined {
    if (this.#key === undefined) return undefined;
    const sum = { partitionKey: this.#key, rows: this.#rows, checksum: this.#checksum };
    this.#key = undefined;
    this.#rows = 0;
    this.#checksum = new Checksum();
    return sum;
  }
}

/** Merges neighbours of one partition. */
export async function* joined(sums: AsyncIterable<PartitionSum>): AsyncGenerator<PartitionSum, void> {
  let before: PartitionSum | undefined;
  for await (const sum of sums) {
    if (before?.partitionKey === sum.partitionKey) {
      before.checksum.add(sum.checksum);
      before = { ...before, rows: before.rows + sum.rows };
      continue;
    }
    if (before !== undefined) yield before;
    before = sum;
  }
  if (before !== undefined) yield before;
}

/** Of the lines that are safe. */
export interface PartState {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

export const partPath = (work: string, shard: number): string => join(work, `${shard}.jsonl`);

/** Length of lines that are gathered before they are written: a page of small rows. */
const TEXT_LENGTH_MAX = 1_048_576;

export class Part implements ShardSink<PartState> {
  readonly path: string;
  readonly #lines: FileHandle;
  readonly #sums: FileHandle;
  readonly #partitions = new PartitionSums();
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  rows = 0;
  /** The last written row; a resumed part continues after it. */
  last: Key | undefined;

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
  static async open(path: string, from: PartState | undefined): Promise<Part> {
    const lines = await open(path, from === undefined ? 'w+' : 'a+');
    try {
      const part = new Part(path, lines, await open(Part.sumsPath(path), 'w'));
      if (from !== undefined) await part.#continue(from);
      return part;
    } catch (error) {
      await lines.close();
      throw error;
    }
  }

  async #continue({ bytes }: PartState): Promise<void> {
    try {
      const { size } = await this.#lines.stat();
      await this.#lines.truncate(size < bytes ? 0 : bytes);
      if (size >= bytes) await this.#readAgain();
    } catch (error) {
      await this.#sums.close();
      throw error;
    }
  }

  async #readAgain(): Promise<void> {
    const shape = new RowShape();
    for await (const lines of textLines(createReadStream(this.path))) {
      let sums = '';
      for (const { text, end } of lines) {
        const row = readRow(text, shape);
        sums += this.#sum(row, formatContent(row));
        this.#bytes = end;
        this.last = { partitionKey: row.partitionKey, rowKey: row.rowKey };
        this.#hash.update(text).update('\n');
      }
      if (sums !== '') await this.#sums.appendFile(sums);
    }
  }

  #sum({ partitionKey }: Row, content: string): string {
    this.rows++;
    const ended = this.#partitions.add(partitionKey, content);
    return ended === undefined ? '' : formatPartition(ended);
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
    this.last = { partitionKey, rowKey };
    return rows.length;
  }

  /** The lines written so far survive a power cut; a resumed part makes its sums from them. */
  async checkpoint(): Promise<PartState> {
    await this.#lines.datasync();
    return { rows: this.rows, bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  /** Both files survive a power cut: a finished part is not read again. */
  async end(): Promise<PartState> {
    const last = this.#partitions.end();
    if (last !== undefined) await this.#sums.appendFile(formatPartition(last));
    await this.#sums.datasync();
    const state = await this.checkpoint();
    syncFile(dirname(this.path));
    await this.close();
    return state;
  }

  async close(): Promise<void> {
    await this.#lines.close();
    await this.#sums.close();
  }
}
