// What a list is asked for: how many entries a page has, what a list of blobs includes (protocol: blob-requests#lists), and where the page begins,
// as a text that clients send back as they got it (protocol: blob-requests#markers).
import { BlobError, LIST_PAGE_MAX, type ListPosition } from '#blobs';
import { given, markedName, wholeOf } from '../../shared/storage-exchange.js';

type Query = ReadonlyMap<string, string>;

const FORM = /^1!([A-Za-z0-9_-]+)(?:!(\d{1,19}))?$/;
const TWO_NAMES = /^1!([A-Za-z0-9_-]+)!([A-Za-z0-9_-]+)$/;

const encoded = (name: string): string => Buffer.from(name).toString('base64url');
const decoded = (text: string): string => Buffer.from(text, 'base64url').toString();
const malformed = (): BlobError => new BlobError('OutOfRangeInput');
const badParameter = (query: Query, name: string): BlobError =>
  new BlobError('InvalidQueryParameterValue', { name, value: query.get(name) ?? '' });

export const blobMarker = ({ blob, snapshot }: ListPosition): string =>
  `1!${encoded(blob)}${snapshot === undefined ? '' : `!${snapshot}`}`;

/** Without a marker the first page begins at `startfrom`, if that is sent (protocol: blobs#list). @throws BlobError OutOfRangeInput. */
export function blobPosition(query: Query): ListPosition | undefined {
  const marker = given(query, 'marker');
  if (marker === undefined) {
    const first = given(query, 'startfrom');
    return first === undefined ? undefined : { blob: first, snapshot: undefined };
  }
  const [, name, snapshot] = FORM.exec(marker) ?? [];
  if (name === undefined) throw malformed();
  return { blob: decoded(name), snapshot: snapshot === undefined ? undefined : BigInt(snapshot) };
}

interface FoundPosition {
  readonly container: string;
  readonly blob: string;
}

export const foundMarker = ({ container, blob }: FoundPosition): string =>
  `1!${encoded(container)}!${encoded(blob)}`;

/** @throws BlobError OutOfRangeInput. */
export function foundPosition(query: Query): FoundPosition | undefined {
  const marker = given(query, 'marker');
  if (marker === undefined) return undefined;
  const [, container, blob] = TWO_NAMES.exec(marker) ?? [];
  if (container === undefined || blob === undefined) throw malformed();
  return { container: decoded(container), blob: decoded(blob) };
}

/** `/account/name`, as of queues. @throws BlobError OutOfRangeInput. */
export const containerPosition = (query: Query, account: string): string | undefined =>
  markedName(query, account, malformed);

/** The byte at which a page of ranges begins. @throws BlobError OutOfRangeInput. */
export function rangePosition(query: Query): number | undefined {
  const marker = given(query, 'marker');
  if (marker === undefined) return undefined;
  if (!/^\d{1,15}$/.test(marker)) throw malformed();
  return Number(marker);
}

/** As it was sent. @throws BlobError OutOfRangeQueryParameterValue, ServiceError InvalidQueryParameterValue. */
export function pageSizeOf(query: Query): number | undefined {
  const name = 'maxresults';
  const size = wholeOf(query, name);
  if (size !== undefined && size < 1)
    throw new BlobError('OutOfRangeQueryParameterValue', {
      name,
      value: size,
      minimum: 1,
      maximum: LIST_PAGE_MAX,
    });
  return size;
}

/** More than a page holds means a whole page. */
export const topOf = (query: Query): number => Math.min(pageSizeOf(query) ?? LIST_PAGE_MAX, LIST_PAGE_MAX);

const INCLUDED: ReadonlySet<string> = new Set([
  'metadata',
  'copy',
  'snapshots',
  'uncommittedblobs',
  'deleted',
  'tags',
  'versions',
  'deletedwithversions',
  'immutabilitypolicy',
  'legalhold',
  'permissions',
  'system',
]);

/** @throws BlobError InvalidQueryParameterValue. */
export function includedOf(query: Query): ReadonlySet<string> {
  const name = 'include';
  const text = given(query, name);
  if (text === undefined) return new Set();
  const items = text.split(',').map(item => item.trim().toLowerCase());
  const unknown = items.find(item => item !== '' && !INCLUDED.has(item));
  if (unknown !== undefined) throw badParameter(query, name);
  return new Set(items);
}

export const delimiterOf = (query: Query): string => query.get('delimiter') ?? '';

/** @throws BlobError InvalidQueryParameterValue: no snapshots in a list by hierarchy. */
export function includesSnapshots(query: Query): boolean {
  const hasSnapshots = includedOf(query).has('snapshots');
  if (hasSnapshots && delimiterOf(query) !== '') throw badParameter(query, 'include');
  return hasSnapshots;
}

/** The sets of blocks that are asked for. */
export function listedBlocks(query: Query): string {
  const type = (given(query, 'blocklisttype') ?? 'committed').toLowerCase();
  if (type !== 'committed' && type !== 'uncommitted' && type !== 'all')
    throw badParameter(query, 'blocklisttype');
  return type;
}
