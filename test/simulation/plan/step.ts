// The steps of a run: a flat list, each of one logical client. A step refers to earlier answers (the last ETag seen,
// the next page) rather than containing them, so that a list with steps left out is a run too.
import type { QueueCall } from '../../queues/call.js';
import type { Call, Level } from '../judge/history.js';

/** `pick` chooses among the receipts that clients hold, or among outdated ones. */
interface Picked {
  readonly queue: string;
  readonly pick: number;
  readonly isStale: boolean;
}

export type QueueAction =
  | Exclude<QueueCall, { readonly kind: 'put' | 'update' | 'delete' }>
  | {
      readonly kind: 'put';
      readonly queue: string;
      readonly delay: number;
      readonly life: number | undefined;
      /** Characters of the text, at least its name. */
      readonly length?: number;
    }
  | (Picked & {
      readonly kind: 'update';
      readonly seconds: number;
      readonly hasText: boolean;
      readonly length?: number;
    })
  | (Picked & { readonly kind: 'delete' })
  /** Reclaims what expired, and what was cleared. */
  | { readonly kind: 'sweep' }
  /** Advances the clock. */
  | { readonly kind: 'pass'; readonly seconds: number };

/** A call is sent with the headers that its matches mean by then, and from the beginning of what it reads. */
export type TableAction =
  | Call
  /** The page after the client's last one; nothing if there is none. */
  | { readonly kind: 'nextPage' }
  | { readonly kind: 'jump'; readonly hours: number }
  /** `crash` continues with a copy of the files as they are in the middle of what is in progress. */
  | { readonly kind: 'reopen' | 'crash' };

export type Action = TableAction | QueueAction;

export const isQueueAction = (action: Action): action is QueueAction =>
  'queue' in action || action.kind === 'sweep' || action.kind === 'pass';

type Credential = 'key' | 'accountSas' | 'tableSas';

export interface Step {
  /** From 1 on; kept when others are left out. */
  readonly number: number;
  readonly client: number;
  /** Turns of the event loop before the next step begins. */
  readonly pause: number;
  readonly level: Level;
  readonly credential: Credential;
  readonly action: Action;
}

export interface Plan {
  readonly seed: number;
  readonly engine: 'memory' | 'lmdb';
  readonly durability: 'full' | 'none';
  /** Opens LMDB's file as exclusive, which is true either way. */
  readonly alone: boolean;
  /** An exclusive store of durability `full` has a log, from its first commit on or later. */
  readonly logsFirst: boolean;
  readonly faults: boolean;
  readonly jumps: boolean;
  readonly tables: readonly string[];
  readonly queues: readonly string[];
  readonly partitions: readonly string[];
  readonly steps: readonly Step[];
}
