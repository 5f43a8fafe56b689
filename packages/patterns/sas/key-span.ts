// The keys of a query as the two ends of a shared access signature. Key ranges are half-open, and both ends of a signature are inclusive; it compares pairs of keys, not each key separately. Sends nothing.
import type { KeyBounds } from '../model/filter/classify.js';
import type { KeyRange } from '../model/keys/compiled-key.js';
import { PatternError, refuseKey } from '../values/pattern-error.js';

/** The ends of a signature, both inclusive. What is missing is no bound. */
export interface KeySpan {
  readonly startPartitionKey?: string;
  readonly startRowKey?: string;
  readonly endPartitionKey?: string;
  readonly endRowKey?: string;
}

/** Above every other UTF-16 code unit, and no character that texts have. */
const LAST = '\uffff';
/** The first character that a key may have: those below are controls. */
const FIRST = ' ';

/** The last key below this one. Texts are compared by code unit, so it has the same beginning, a last unit that is one less, and then the highest units there are. */
function before(limit: string): string {
  const last = limit.charCodeAt(limit.length - 1);
  const end = `${limit.slice(0, -1)}${String.fromCharCode(last - 1)}${LAST}`;
  if (last >= 0xd801 && last <= 0xe000)
    refuseKey('end', 'is beyond U+D7FF, where the order of the service is not known', limit);
  return end;
}

interface Ends {
  readonly start: string | undefined;
  readonly end: string | undefined;
}

/** A signature has no word for the empty text: an empty end would be none, and open everything after the start. */
function endsOf({ eq, ge, gt, le, lt }: KeyRange, part: string): Ends {
  const start = eq ?? ge ?? (gt === undefined ? undefined : gt + FIRST);
  const end = eq ?? le ?? (lt === undefined ? undefined : lt === '' ? '' : before(lt));
  if (end === '') refuseKey(part, 'would end with the empty text, which a signature takes for no end', '');
  return { start: start || undefined, end };
}

const isUnbounded = ({ start, end }: Ends): boolean => start === undefined && end === undefined;

const given = (span: { readonly [K in keyof KeySpan]: string | undefined }): KeySpan =>
  Object.fromEntries(Object.entries(span).filter(([, key]) => key !== undefined));

/** Throws ScanRefused for what a signature cannot say, because it would admit more. */
export function keySpan(bounds: KeyBounds, filter = ''): KeySpan {
  const partition = endsOf(bounds.partition, 'PartitionKey');
  const row = endsOf(bounds.row, 'RowKey');
  if (bounds.partition.eq === undefined && !isUnbounded(row))
    throw new PatternError('ScanRefused', {
      filter,
      reason:
        'a signature for several partitions admits all of their rows: row keys bound its first and last partition alone. Name one partition, or take partitions(…)',
    });
  return given({
    startPartitionKey: partition.start,
    startRowKey: row.start,
    endPartitionKey: partition.end,
    endRowKey: row.end,
  });
}
