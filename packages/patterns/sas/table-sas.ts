// Shared access signatures for the keys of a query, whose ranges are half-open: both ends of a signature are inclusive, and it compares pairs of keys, not each key separately. The official client signs.
import {
  type AzureNamedKeyCredential,
  generateTableSas,
  type SasIPRange,
  type SasProtocol,
} from '@azure/data-tables';
import { REAL_SURROUNDINGS } from '../concurrency/surroundings.js';
import type { AnyEntity, PartitionOf } from '../model/definition.js';
import type { KeyBounds } from '../model/filter/classify.js';
import type { Plan } from '../model/filter/plan.js';
import type { KeyRange, PartBounds } from '../model/keys/compiled-key.js';
import { PatternError, refuseKey, refuseValue } from '../values/pattern-error.js';

/** Of rows: `r` queries, `a` adds, `u` updates, `d` deletes. Insert Or Replace and Insert Or Merge take `a` and `u`. */
export type SasPermissions = string;

interface SasTimes {
  /** From when on; five minutes ago by default, for clocks differ. With a policy the policy says it. */
  readonly startsOn?: Date | undefined;
  /** Addresses from which it may be used. */
  readonly ipRange?: SasIPRange | undefined;
  /** `https` alone by default; `https,http` for servers without TLS. */
  readonly protocol?: SasProtocol | undefined;
}

/** What a signature allows, and until when: by itself, or by a policy that the table has, which may be changed or taken away. */
export type SasOptions = SasTimes &
  (
    | { readonly permissions: SasPermissions; readonly expiresOn: Date; readonly policy?: undefined }
    | {
        /** The name of a policy of the table: policies.ts. What it says must not be given here. */
        readonly policy: string;
        readonly permissions?: SasPermissions | undefined;
        readonly expiresOn?: Date | undefined;
      }
  );

/** Rows of one table, by their keys: a query, or partitions. */
export interface SasRows {
  explain(): Pick<Plan, 'table' | 'bounds' | 'isFiltered' | 'filter'>;
}

/** The ends of a signature, both inclusive. What is missing is no bound. */
interface KeySpan {
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
function keySpan(bounds: KeyBounds, filter = ''): KeySpan {
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

/** Milliseconds by which a start is earlier than now. */
const CLOCKS_DIFFER = 300_000;

const NAMES = { r: 'query', a: 'add', u: 'update', d: 'delete' } as const;

/** As the official client has them. Throws ValueInvalid. */
export function permissionsOf(permissions: SasPermissions) {
  const letters = [...permissions];
  const isKnown = (letter: string): letter is keyof typeof NAMES => Object.hasOwn(NAMES, letter);
  const wrong = letters.find((letter, at) => !isKnown(letter) || letters.indexOf(letter) !== at);
  if (letters.length === 0 || wrong !== undefined)
    refuseValue(
      'permissions',
      'some of r, a, u and d, each once',
      permissions === '' ? 'it is empty' : `${wrong} is not`,
    );
  return Object.fromEntries(letters.filter(isKnown).map(letter => [NAMES[letter], true]));
}

/** The one range of keys that a query has. */
function boundsOf({ filter = '', bounds, isFiltered }: ReturnType<SasRows['explain']>): KeyBounds {
  const refuse = (reason: string): never => {
    throw new PatternError('ScanRefused', { filter, reason });
  };
  if (isFiltered) return refuse('a signature knows keys alone: it would admit what the filter leaves out');
  const [only, second] = bounds;
  if (only === undefined) return refuse('no row can match');
  return second === undefined ? only : refuse('a signature has one range of keys, and these are several');
}

/**
 * A token for the rows of a query: `tableSas(credential, reviews.partition({ department: 'Sales' }).rows({ id: 123 }), { permissions: 'r', expiresOn })`. It admits the rows that the query gives, with those of other entities that stand between their keys, and no others. Throws ScanRefused for
 * a query that a signature cannot say, and ValueInvalid.
 */
export function tableSas(credential: AzureNamedKeyCredential, rows: SasRows, options: SasOptions): string {
  const plan = rows.explain();
  const { permissions, expiresOn, policy, ipRange, protocol = 'https' } = options;
  const startsOn =
    options.startsOn ??
    (policy === undefined ? new Date(REAL_SURROUNDINGS.now() - CLOCKS_DIFFER) : undefined);
  if (policy === undefined && (permissions === undefined || expiresOn === undefined))
    refuseValue('permissions', 'given, with expiresOn', 'there is no policy that says them');
  // A Date of no time is not after any other.
  if (!(Number(expiresOn ?? Number.POSITIVE_INFINITY) > Number(startsOn ?? Number.NEGATIVE_INFINITY)))
    refuseValue('expiresOn', 'after startsOn', 'it is not');
  return generateTableSas(plan.table, credential, {
    ...keySpan(boundsOf(plan), plan.filter),
    protocol,
    ...(permissions !== undefined && { permissions: permissionsOf(permissions) }),
    ...(expiresOn !== undefined && { expiresOn }),
    ...(startsOn !== undefined && { startsOn }),
    ...(policy !== undefined && { identifier: policy }),
    ...(ipRange !== undefined && { ipRange }),
  });
}

/**
 * Partitions for `tableSas`: those whose keys begin with these parts, and of these the ones whose next part is in bounds. `partitions(db.repo(Review), {}, { department: { ge: 'A', lt: 'N' } })`. All of their rows, of whichever
 * entity.
 */
export function partitions<E extends AnyEntity>(
  { entity, table }: { readonly entity: E; readonly table: string },
  lead: Partial<PartitionOf<E>> = {},
  bounds: { readonly [K in keyof PartitionOf<E>]?: PartBounds<PartitionOf<E>[K]> } = {},
): SasRows {
  const { partition } = entity.plan;
  const next = partition.names.find(name => (lead as Readonly<Record<string, unknown>>)[name] === undefined);
  const named = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
  const wrong = named.find(([name]) => name !== next);
  if (wrong !== undefined)
    refuseValue(wrong[0], 'bounds of the part that follows those which are given', 'it is another part');
  const range = partition.range(lead, (named[0]?.[1] ?? {}) as PartBounds);
  return {
    explain: () => ({ table, bounds: [{ partition: range, row: {} }], isFiltered: false, filter: undefined }),
  };
}
