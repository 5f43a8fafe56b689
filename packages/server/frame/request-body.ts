// The body of a request, as its route wants it: in one buffer, or as a stream. Read only once the caller is authenticated, so that a client that
// waits for 100 Continue does not send its body in vain.
import { ServiceError } from '#account';
import type { WireRequest } from '#base';
import { BODY_BYTES_MAX, checkBody } from './handle-request.js';

/**
 * @param bytesMax the route's own limit.
 * @throws ServiceError ServerBusy, RequestBodyTooLarge.
 */
export async function bufferedBody(request: WireRequest, bytesMax = BODY_BYTES_MAX): Promise<Buffer> {
  checkBody(request, bytesMax);
  if (request.stream !== undefined) {
    const whole = await request.stream.collect(bytesMax);
    checkBody(whole, bytesMax);
    return whole.body;
  }
  if (request.body.length > bytesMax) throw new ServiceError('RequestBodyTooLarge', { limit: bytesMax });
  return request.body;
}

/**
 * A body that came with its head is a stream of one piece.
 *
 * @throws ServiceError ServerBusy, RequestBodyTooLarge; the iteration BodyError, if the rest does not come.
 */
export function streamedBody(request: WireRequest): AsyncIterable<Buffer> {
  checkBody(request);
  if (request.stream === undefined) return single(request.body);
  if (!request.stream.reserve()) throw new ServiceError('ServerBusy');
  return request.stream;
}

async function* single(body: Buffer): AsyncGenerator<Buffer, void, undefined> {
  if (body.length > 0) yield body;
}
