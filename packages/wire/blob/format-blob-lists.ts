// Renders what List Blobs and Find Blobs by Tags found (protocol: blob-requests#lists): short lists at once, long ones while others go on.
import type { Outcome } from '#blobs';
import {
  documentBytes,
  documentText,
  ENTRIES_A_SLICE,
  type EntriesDocument,
} from '../shared/long-document.js';
import { type BlobAnswer, blobAnswer } from './blob-answer.js';
import type { BlobRoute } from './blob-route.js';
import { blobMarker, foundMarker } from './request/markers.js';
import { includedOf, pageSizeOf } from './request/page-size.js';
import { blobListDocument, foundBlobsDocument } from './xml/blob-list-xml.js';

export type BlobsFound = Extract<Outcome, { kind: 'blobs' | 'found' }>;

const DOCUMENT = { contentType: 'application/xml' } as const;

const entriesOf = (outcome: BlobsFound): readonly unknown[] =>
  outcome.kind === 'blobs' ? outcome.entries : outcome.blobs;

export const isLongList = (outcome: Outcome): outcome is BlobsFound =>
  (outcome.kind === 'blobs' || outcome.kind === 'found') && entriesOf(outcome).length > ENTRIES_A_SLICE;

/** `render` is what becomes of the document, whatever its entries are. */
function rendered<T>(
  outcome: BlobsFound,
  { query, endpoint, resource }: BlobRoute,
  version: string,
  render: <Entry>(document: EntriesDocument<Entry>) => T,
): T {
  if (outcome.kind === 'found') {
    const { blobs, next } = outcome;
    const where = query.get('where') ?? '';
    const nextMarker = next && foundMarker(next);
    return render(foundBlobsDocument({ endpoint: `${endpoint}/`, where, blobs, nextMarker }));
  }
  const { entries, next } = outcome;
  return render(
    blobListDocument({
      endpoint: `${endpoint}/`,
      container: 'container' in resource ? resource.container : '',
      prefix: query.get('prefix'),
      marker: query.get('marker'),
      pageSize: pageSizeOf(query),
      delimiter: query.get('delimiter'),
      entries,
      included: includedOf(query),
      version,
      nextMarker: next && blobMarker(next),
    }),
  );
}

export const formatBlobLists = (outcome: BlobsFound, route: BlobRoute, version: string): BlobAnswer =>
  blobAnswer(200, { ...DOCUMENT, body: rendered(outcome, route, version, documentText) });

/** The same answer. */
export const formatLongList = async (
  outcome: BlobsFound,
  route: BlobRoute,
  version: string,
): Promise<BlobAnswer> =>
  blobAnswer(200, { ...DOCUMENT, body: await rendered(outcome, route, version, documentBytes) });
