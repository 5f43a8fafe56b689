// Writes an answer as a part of a batch, with its headers in Azure's order (table-rest.md 10.5).
import type { Answer, Header } from './answer.js';
import type { PartResponse } from './format-batch.js';

/** Parts with content begin with version and type, parts without end with the version; errors stand in between. */
export function formatPart(answer: Answer, contentId: string | undefined): PartResponse {
  const id: Header[] = contentId === undefined ? [] : [['Content-ID', contentId]];
  const sniff: Header[] = answer.noSniff ? [['X-Content-Type-Options', 'nosniff']] : [];
  const cache: Header[] = answer.cacheControl ? [['Cache-Control', 'no-cache']] : [];
  const preference: Header[] =
    answer.preferenceApplied === undefined ? [] : [['Preference-Applied', answer.preferenceApplied]];
  const version: Header[] =
    answer.dataServiceVersion === undefined ? [] : [['DataServiceVersion', answer.dataServiceVersion]];
  const type: Header[] = answer.contentType === undefined ? [] : [['Content-Type', answer.contentType]];
  const etag: Header[] = answer.etag === undefined ? [] : [['ETag', answer.etag]];
  const location: Header[] = answer.location === undefined ? [] : [['Location', answer.location]];
  const service: Header[] =
    answer.dataServiceId && answer.location !== undefined ? [['DataServiceId', answer.location]] : [];
  const withContent = answer.status < 300 && answer.body !== undefined;
  const headers = withContent
    ? [...version, ...type, ...id, ...sniff, ...cache, ...preference, ...location, ...etag]
    : [...id, ...sniff, ...cache, ...preference, ...version, ...type, ...location, ...service, ...etag];
  const body = answer.body === undefined ? undefined : answer.body.toString('utf8');
  return { status: answer.status, headers, body };
}
