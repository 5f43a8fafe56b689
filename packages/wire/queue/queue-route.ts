// The route of a request to the Queue service: its target as a value. parse-queue-target.ts parses it.

import type { ServiceRoute } from '../shared/target.js';

export type QueueResource =
  /** A path without a resource; it is refused after authentication. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'service' }
  | { readonly kind: 'queue'; readonly queue: string }
  | { readonly kind: 'messages'; readonly queue: string }
  | { readonly kind: 'message'; readonly queue: string; readonly id: string };

/** Parameters of the query are known by names in lower case; of a name given twice, the values are joined by commas, in order. */
export type QueueRoute = ServiceRoute<QueueResource>;

/** The queue of a request; empty where there is none. */
export const queueOf = ({ resource }: QueueRoute): string => ('queue' in resource ? resource.queue : '');
