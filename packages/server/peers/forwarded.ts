// A request whose caller is known, as one front end hands it to another, and what came of it. Both are plain values; their frames are frames.ts's.
import type { WireRequest, WireResponse } from '#base';
import type { Grant } from '../auth/grant.js';
import { decodePayload, encodePayload } from './frames.js';

/** What the other front end has to know to carry it out as this one would. */
export interface ForwardedRequest {
  /** The service's name, as `table`. */
  readonly service: string;
  /** Of the target, as this front end knows it. */
  readonly account: string;
  /** With its whole body. */
  readonly request: WireRequest;
  /** The caller is authorized already. */
  readonly grant: Grant;
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  /** As it is echoed. */
  readonly version: string;
}

/** The refusal as the log and the metrics need it. */
export interface ToldRefusal {
  /** As it went over the wire. */
  readonly code: string;
  readonly reason?: string | undefined;
}

export interface Carried {
  /** Without headers of CORS. */
  readonly response: WireResponse;
  readonly refused: ToldRefusal | undefined;
}

/** What is sent with a request. */
export interface Sending {
  /** Of the process that is meant, as it was seen to have it. */
  readonly lease: string;
  /** By the clock of that process, in milliseconds: afterwards it does not begin with it. */
  readonly until: number;
}

/** What is signed is known already, so that no signature travels in a header. */
export function encodeRequest(sending: Sending, { request, ...rest }: ForwardedRequest): Buffer {
  const { method, target, headers, secure, remoteAddress, body } = request;
  const { authorization: _, ...others } = headers;
  const sent = { method, target, headers: others, secure, remoteAddress };
  return encodePayload({ ...rest, ...sending, request: sent }, body);
}

/** The link is between programs of ours that share a secret. @throws RangeError, SyntaxError. */
export function decodeRequest(payload: Buffer): Sending & ForwardedRequest {
  const { head, body } = decodePayload(payload);
  const { request, ...rest } = head as Sending & ForwardedRequest;
  return { ...rest, request: { ...request, body } };
}

export function encodeCarried({ response: { body, ...response }, refused }: Carried): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const head = { response, refused, hasBody: bytes !== undefined };
  return encodePayload(head, bytes ?? Buffer.alloc(0));
}

/** @throws RangeError, SyntaxError. */
export function decodeCarried(payload: Buffer): Carried {
  const { head, body } = decodePayload(payload);
  const { response, refused, hasBody } = head as Carried & { readonly hasBody: boolean };
  return { response: { ...response, body: hasBody ? body : undefined }, refused };
}
