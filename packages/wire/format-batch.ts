// The envelope of the answer to POST /$batch, to the byte (table-rest.md 10.3, 10.4).
// What its parts say, which headers they have and in what order is left to others.

/** The answer to one request of a batch. */
export interface PartResponse {
  readonly status: number;
  /** In the order in which they are written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** Made fresh for each answer; GUIDs in lower case. Clients look for the prefixes that are put before them. */
export interface EnvelopeIds {
  readonly batch: string;
  readonly changeset: string;
}

export interface Envelope {
  readonly contentType: string;
  readonly body: string;
}

/** The standard phrases of the statuses that an operation can have. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [201, 'Created'],
  [204, 'No Content'],
  [400, 'Bad Request'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [409, 'Conflict'],
  [412, 'Precondition Failed'],
  [413, 'Request Entity Too Large'],
  [415, 'Unsupported Media Type'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [503, 'Service Unavailable'],
]);

function formatPart(part: PartResponse): string {
  let head = `HTTP/1.1 ${part.status} ${REASONS.get(part.status) ?? 'Unknown'}\r\n`;
  for (const [name, value] of part.headers) head += `${name}: ${value}\r\n`;
  return `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${head}\r\n${part.body ?? ''}\r\n`;
}

function envelop(batchId: string, content: string): Envelope {
  const boundary = `batchresponse_${batchId}`;
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    body: `--${boundary}\r\n${content}--${boundary}--\r\n`,
  };
}

/** The answer to a changeset: one part for each operation, or the only part of the one that failed, or none. */
export function formatChangeset(parts: readonly PartResponse[], ids: EnvelopeIds): Envelope {
  const boundary = `changesetresponse_${ids.changeset}`;
  const content = parts.map(part => `--${boundary}\r\n${formatPart(part)}`).join('');
  return envelop(
    ids.batch,
    `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${content}--${boundary}--\r\n`,
  );
}

/** The answer to a batch that holds a GET: there is no changeset around it. */
export const formatBatchQuery = (part: PartResponse, ids: Pick<EnvelopeIds, 'batch'>): Envelope =>
  envelop(ids.batch, formatPart(part));
