// The text of an entity group transaction: formats operations as parts of a body, and parses an answer's parts to results. The official client's own
// encoder is not used, because it sends deletes without their conditions. batch.ts counts against limits.
import { utf8Length } from '../values/bytes.js';
import type { RowRequest } from './row-write.js';
import { parseRefusal, type ServiceRefusal } from './service-refusal.js';

/** Set by the service, as the next one is. */
export const BATCH_OPERATIONS_MAX = 100;
/** Of the body as it is sent. */
export const BATCH_BYTES_MAX = 4 * 1_048_576;

/** The names that separate parts. */
interface Boundaries {
  readonly batch: string;
  readonly changeset: string;
}

const CRLF = '\r\n';

export const boundariesOf = (id: string): Boundaries => ({
  batch: `batch_${id}`,
  changeset: `changeset_${id}`,
});

/** One operation, as it stands behind its boundary. */
export function partText({ method, headers, body }: RowRequest, address: string): string {
  const lines = Object.entries({ DataServiceVersion: '3.0', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    `${method} ${address} HTTP/1.1`,
    ...lines,
    '',
    body ?? '',
  ].join(CRLF);
}

export function batchText(parts: readonly string[], { batch, changeset }: Boundaries): string {
  const head = [`--${batch}`, `Content-Type: multipart/mixed; boundary=${changeset}`, '', ''].join(CRLF);
  const changes = parts.map(part => `--${changeset}${CRLF}${part}${CRLF}`).join('');
  return `${head}${changes}--${changeset}--${CRLF}--${batch}--${CRLF}`;
}

/** An id in a boundary is a UUID. */
const ANY = boundariesOf('0'.repeat(36));

/** What a body counts that has no parts. */
export const EMPTY_BYTES = batchText([], ANY).length;

/** What a part adds to a body. */
export const partBytes = (part: string): number =>
  utf8Length(part) + `--${ANY.changeset}${CRLF}${CRLF}`.length;

export type BatchAnswer =
  /** The ETag of each operation's row, undefined for deletes. */
  | { readonly kind: 'done'; readonly etags: readonly (string | undefined)[] }
  /** One operation was refused, and so none was done. */
  | { readonly kind: 'failed'; readonly refusal: ServiceRefusal };

const PART = /^--changesetresponse_[^\r\n]*$/m;
const STATUS = /^HTTP\/1\.1 (\d{3})/m;
const ETAG = /^ETag: *(.*?)\r?$/im;

function headerIn(part: string, name: string): string | undefined {
  const [, value] = new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(part) ?? [];
  return value;
}

/** The answer to a batch of so many operations that the service took. Throws SyntaxError, also for a text that has not one part for each. */
export function parseBatchAnswer(text: string, count: number): BatchAnswer {
  const etags: (string | undefined)[] = [];
  for (const part of text.split(PART).slice(1, -1)) {
    const [, status] = STATUS.exec(part) ?? [];
    if (status === undefined) throw new SyntaxError('A part of the answer has no status.');
    if (Number(status) >= 300) {
      const [, body = ''] = /\r?\n\r?\n[\s\S]*?\r?\n\r?\n([\s\S]*)$/.exec(part) ?? [];
      return { kind: 'failed', refusal: parseRefusal(Number(status), body, name => headerIn(part, name)) };
    }
    etags.push(ETAG.exec(part)?.[1]);
  }
  if (etags.length !== count) throw new SyntaxError(`The answer has ${etags.length} parts of ${count}.`);
  return { kind: 'done', etags };
}
