// A service for tests of streams, which receives and sends bytes and stores none: `PUT /account/NAME` answers how many
// arrived, and their sum; `GET /account/SIZE` sends that many. It is behind the frame as tables and queues are, so the
// caller is known before a body is asked for.
import { createHash } from 'node:crypto';
import { ServiceError, type SharedErrorCode } from '#account';
import type { StreamedResponse, WireResponse } from '#base';
import {
  authorize,
  bufferedBody,
  type Grant,
  type RequestContext,
  Service,
  type ServiceEntry,
  type ServiceProtocol,
  streamedBody,
} from '#server/parts';
import {
  type ErrorTable,
  type Exchange,
  errorMessage,
  type Header,
  type ServiceRoute,
  SHARED_ERRORS,
} from '#wire';
import { stubProtocol, stubRight } from './stub-service.js';

type Kind = 'putBytes' | 'getBytes';
type ByteRoute = ServiceRoute<string>;

interface ByteAnswer {
  readonly status: number;
  readonly body: string | AsyncIterable<Buffer>;
  readonly length: number;
  readonly more: readonly Header[];
}

/** The limit of a route that wants its body in one buffer. */
export const NOTE_BYTES_MAX = 100_000;
const PIECE = Buffer.alloc(262_144, 'x');

const ERRORS: ErrorTable<SharedErrorCode> = {
  ...SHARED_ERRORS,
  InternalError: { status: 500, message: 'The bytes are gone.' },
  'InvalidHeaderValue:Cors': SHARED_ERRORS.InvalidHeaderValue,
};

const AUTHORIZATION = {
  rights: { putBytes: stubRight('byte', 'w'), getBytes: stubRight('byte', 'r') },
  roles: {},
  sasScope: (name: string) => `The signature is for ${name}.`,
};

const text = (status: number, body: string, more: readonly Header[] = []): ByteAnswer => ({
  status,
  body,
  length: body.length,
  more,
});

async function* bytes(size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let left = size; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
}

async function* broken(): AsyncGenerator<Buffer, void, undefined> {
  yield PIECE;
  throw new Error('The rest cannot be read.');
}

async function run(
  kind: Kind,
  { resource: name }: ByteRoute,
  grant: Grant,
  { request }: RequestContext<string, Kind>,
): Promise<ByteAnswer> {
  authorize(AUTHORIZATION, grant, kind, name);
  if (kind === 'getBytes')
    return name === 'broken'
      ? { status: 200, body: broken(), length: 2 * PIECE.length, more: [] }
      : { status: 200, body: bytes(Number(name)), length: Number(name), more: [] };
  if (name === 'note') return text(201, `${(await bufferedBody(request, NOTE_BYTES_MAX)).length}`);
  const hash = createHash('md5');
  let length = 0;
  for await (const piece of streamedBody(request)) {
    length += piece.length;
    hash.update(piece);
  }
  return text(201, `${length} ${hash.digest('hex')}`);
}

const BYTE_SERVICE: ServiceProtocol<
  string,
  Kind,
  SharedErrorCode,
  ByteAnswer,
  WireResponse | StreamedResponse
> = {
  ...AUTHORIZATION,
  ...stubProtocol('byte'),
  mayStream: ({ method }) => method === 'PUT',
  kindOf: ({ method }) => (method === 'PUT' ? 'putBytes' : 'getBytes'),
  refuseAnonymous: () => new ServiceError('ResourceNotFound', { reason: 'There are no credentials.' }),
  run,
  formatPreflight: more => text(200, '', more),
  formatError: error => {
    const entry = ERRORS[error.code];
    return text(entry.status, `${error.code}: ${errorMessage(entry, error)}`);
  },
  formatResponse: ({ status, body, length, more }, { requestId }: Exchange) => {
    const headers: Header[] = [['Content-Length', `${length}`], ['x-ms-request-id', requestId], ...more];
    return typeof body === 'string' ? { status, headers, body } : { status, headers, body };
  },
};

export const BYTES: ServiceEntry = {
  protocol: BYTE_SERVICE,
  endpointName: 'ByteEndpoint',
  addressOf: () => ({ host: undefined, port: 0 }),
  open: server => new Service(BYTE_SERVICE, server),
};
