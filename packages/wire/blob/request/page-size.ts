// How many entries a page of a list may have, and what a list of blobs is asked to include (protocol: blob-requests#lists).
import { BlobError, LIST_PAGE_MAX } from '#blobs';
import { given, wholeOf } from '../../shared/storage-parameters.js';

type Query = ReadonlyMap<string, string>;

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
  if (unknown !== undefined) throw new BlobError('InvalidQueryParameterValue', { name, value: text });
  return new Set(items);
}
