// Texts of requests with gaps for numbers. `{10:row}` is the value of the expression `row` in ten digits, so that all requests of a kind
// have one length. An expression must mean the same in JavaScript and in Lua, in which wrk evaluates it. It may use `floor` and
//   sequence   the number of the request, used once
//   row        the row that the request falls on

/**
 * A prime above every number of rows: steps of it visit all rows once before any is repeated, and successive ones are
 * far apart in the table, so that no cache helps. Products stay exact in a double up to 5.8e8 requests.
 */
export const STRIDE = 15_485_863;

/** The row that a request falls on, of so many. */
export const scatter = (sequence: number, rows: number): number => (sequence * STRIDE) % rows;

type Value = (sequence: number, row: number, floor: (value: number) => number) => number;

export interface Gap {
  readonly digits: number;
  readonly expression: string;
}

const GAP = /\{(\d+):([^{}]+)\}/g;

/** The text's fixed parts and gaps, alternately. */
export function partsOf(text: string): readonly (string | Gap)[] {
  const parts: (string | Gap)[] = [];
  let end = 0;
  for (const { 0: gap, 1: digits, 2: expression = '', index } of text.matchAll(GAP)) {
    parts.push(text.slice(end, index), { digits: Number(digits), expression });
    end = index + gap.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** The length of the text with its gaps filled. It has only ASCII characters. */
export const filledLength = (text: string): number =>
  partsOf(text).reduce((sum, part) => sum + (typeof part === 'string' ? part.length : part.digits), 0);

/** Fills the gaps for a request. */
export function filler(text: string, rows: number): (sequence: number) => string {
  const parts = partsOf(text).map(part => {
    if (typeof part === 'string') return part;
    const value = new Function('sequence', 'row', 'floor', `return ${part.expression}`) as Value;
    return { digits: part.digits, value };
  });
  return sequence => {
    const row = scatter(sequence, rows);
    let filled = '';
    for (const part of parts)
      filled +=
        typeof part === 'string'
          ? part
          : String(part.value(sequence, row, Math.floor)).padStart(part.digits, '0');
    return filled;
  };
}
