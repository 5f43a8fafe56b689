// What the target of a request to the Queue service names, as a value. Parsing it is parse-queue-target.ts's matter.

export type QueueResource =
  /** The path names nothing; it is refused, but only once the caller is known. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'service' }
  | { readonly kind: 'queue'; readonly queue: string }
  | { readonly kind: 'messages'; readonly queue: string }
  | { readonly kind: 'message'; readonly queue: string; readonly id: string };

export interface QueueRoute {
  /** Without the suffix `-secondary`. */
  readonly account: string;
  readonly secondary: boolean;
  /** The path as it was sent, still encoded, with the account where it stands in the path: what signatures cover. */
  readonly path: string;
  /** The endpoint that the client used, as `http://127.0.0.1:10001/devstoreaccount1`, without a slash at its end. */
  readonly endpoint: string;
  readonly resource: QueueResource;
  /** The query's parameters, decoded, by names in lower case; of a name given twice, the values in order, joined by commas. */
  readonly query: ReadonlyMap<string, string>;
}

/** The queue that a request is about; empty where it is about none. */
export const queueOf = ({ resource }: QueueRoute): string => ('queue' in resource ? resource.queue : '');
