// Texts of requests with gaps for numbers. Every gap has a fixed width, so that all requests of a kind have one length
// and are made by overwriting digits. The texts are opaque to this file.

/** The rows of a full partition, as in the goal for filters. */
export const PARTITION_ROWS = 100_000;
/** Members of a transaction: the service's maximum (protocol: batches#rules). */
export const MEMBERS = 100;
/** Rows in the answer to a range query. */
export const GROUP_ROWS = 100;
/**
 * A prime above every number of rows: steps of it visit all rows once before any is repeated, and successive ones are
 * far apart in the table, so that no cache helps. Products stay exact in a double up to 5.8e8 requests.
 */
export const STRIDE = 15_485_863;
/** Ranks repeat after this many rows. */
export const RANKS = 10_000;

/**
 * The content of a gap, from the sequence number of a request. For the row that the request falls on: its number,
 * partition and rank, and the bounds of the group around it. `unique` is the sequence number itself. For a
 * transaction's member, by its offset: its number, and partition and rank if that number is a row's. `anyPartition`
 * goes around the full ones.
 */
export type SlotKind =
  | 'row'
  | 'partition'
  | 'rank'
  | 'group'
  | 'groupEnd'
  | 'unique'
  | 'member'
  | 'memberPartition'
  | 'memberRank'
  | 'anyPartition';

export interface Slot {
  readonly kind: SlotKind;
  readonly digits: number;
  /** For the member of a transaction; 0 elsewhere. */
  readonly offset: number;
}

export type Part = string | Slot;

const DIGITS: Readonly<Record<SlotKind, number>> = {
  row: 10,
  partition: 6,
  rank: 5,
  group: 10,
  groupEnd: 10,
  unique: 10,
  member: 12,
  memberPartition: 6,
  memberRank: 5,
  anyPartition: 6,
};

export const slot = (kind: SlotKind, offset = 0): Slot => ({ kind, digits: DIGITS[kind], offset });

/** The row that a request falls on. */
export const scatter = (sequence: number, rows: number): number => (sequence * STRIDE) % rows;

export const partitionOf = (row: number): number => Math.floor(row / PARTITION_ROWS);

/** Five digits whatever the row. */
export const rankOf = (row: number): number => RANKS + (row % RANKS);

/** The number of full partitions, which queries over one partition visit in turn; a smaller table has one. */
export const fullPartitions = (rows: number): number => Math.max(1, Math.floor(rows / PARTITION_ROWS));

export function slotValue({ kind, offset }: Slot, sequence: number, rows: number): number {
  const row = scatter(sequence, rows);
  switch (kind) {
    case 'row':
      return row;
    case 'partition':
      return partitionOf(row);
    case 'rank':
      return rankOf(row);
    case 'group':
      return row - (row % GROUP_ROWS);
    case 'groupEnd':
      return row - (row % GROUP_ROWS) + GROUP_ROWS;
    case 'unique':
      return sequence;
    case 'member':
      return sequence * MEMBERS + offset;
    case 'memberPartition':
      return partitionOf(sequence * MEMBERS + offset);
    case 'memberRank':
      return rankOf(sequence * MEMBERS + offset);
    case 'anyPartition':
      return sequence % fullPartitions(rows);
  }
}

export const partBytes = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.digits), 0);

/** With neighbouring texts joined: the form that generators use. */
export function joinParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

const ZERO = 48;

/** Makes the bytes of a text from a sequence number, in a copy of its own each time. */
export class Template {
  readonly #blank: Buffer;
  readonly #gaps: readonly { readonly slot: Slot; readonly end: number }[];
  readonly #rows: number;

  constructor(parts: readonly Part[], rows: number) {
    const gaps: { slot: Slot; end: number }[] = [];
    const pieces: Buffer[] = [];
    let end = 0;
    for (const part of parts) {
      const piece = typeof part === 'string' ? Buffer.from(part) : Buffer.alloc(part.digits, ZERO);
      end += piece.length;
      pieces.push(piece);
      if (typeof part !== 'string') gaps.push({ slot: part, end });
    }
    this.#blank = Buffer.concat(pieces);
    this.#gaps = gaps;
    this.#rows = rows;
  }

  bytes(sequence: number): Buffer {
    const bytes = Buffer.from(this.#blank);
    for (const { slot, end } of this.#gaps) {
      let value = slotValue(slot, sequence, this.#rows);
      for (let at = end - 1; value > 0; at--) {
        bytes[at] = ZERO + (value % 10);
        value = Math.floor(value / 10);
      }
    }
    return bytes;
  }
}
