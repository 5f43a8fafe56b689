// What the target of a request to the Queue service names, as a value. Parsing it is parse-queue-target.ts's matter.

import type { ServiceRoute } from '../shared/target.js';

export type QueueResource =
  /** The path names nothing; it is refused, but only once the caller is known. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'service' }
  | { readonly kind: 'queue'; readonly queue: string }
  | { readonly kind: 'messages'; readonly queue: string }
  | { readonly kind: 'message'; readonly queue: string; readonly id: string };

/** Parameters of the query are known by names in lower case; of a name given twice, the values are joined by commas, in order. */
export type QueueRoute = ServiceRoute<QueueResource>;

/** The queue that a request is about; empty where it is about none. */
export const queueOf = ({ resource }: QueueRoute): string => ('queue' in resource ? resource.queue : '');
