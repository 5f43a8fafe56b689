// A request whose caller is known, as one front end hands it to another, and what came of it.
import type { WireRequest, WireResponse } from '#base';
import type { Grant } from '../auth/grant.js';

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

/** `refused`: it was not begun there, and never will be. `unclear`: it may have happened or, if it had begun, may still happen. */
export type Outcome =
  | ({ readonly kind: 'answered' } & Carried)
  | { readonly kind: 'refused' | 'unclear'; readonly reason: string };
