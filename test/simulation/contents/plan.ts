// The meaning of a seed: clients that write and read a few blobs at once, and events of the process and its disk in between.
import type { ReadCall, WriteCall } from '../../blobs/blob-call.js';
import type { Step as BlobStep } from '../../blobs/blob-model.js';
import { someRead, someSteps } from '../../blobs/some-step.js';
import type { Mood } from '../../power-cut/file-content.js';
import { Random } from '../plan/random.js';

export type Action =
  | Omit<WriteCall, 'container'>
  | Omit<ReadCall, 'container'>
  | { readonly kind: 'sweep' }
  /** The process ends; the disk has everything it was given. */
  | { readonly kind: 'kill' }
  | { readonly kind: 'cut'; readonly mood: Mood }
  /** An orderly close. */
  | { readonly kind: 'reopen' }
  /** This many more bytes may be written; undefined is no limit. */
  | { readonly kind: 'full'; readonly bytes: number | undefined };

export interface Step {
  readonly number: number;
  readonly client: number;
  /** Turns of the event loop before it. */
  readonly pause: number;
  readonly action: Action;
}

export interface Plan {
  readonly seed: number;
  /** Of the store and its contents (packages/store/faults.ts). */
  readonly faults: boolean;
  /** The fraction of syncs that fail. */
  readonly failingSyncs: boolean;
  readonly steps: readonly Step[];
}

/** Readers are clients from here on. */
const FIRST_READER = 10;

export function planOf(seed: number): Plan {
  const random = new Random(seed ^ 0x51ab03);
  const clients = random.between(1, 4);
  const [faults, fills, mayBeHuge] = [random.happens(0.3), random.happens(0.25), random.happens(0.05)];
  const lone: readonly BlobStep['kind'][] = clients === 1 ? ['copy', 'deleteSnapshot'] : [];
  const calamities: readonly (readonly [number, () => Action])[] = [
    [4, () => ({ kind: 'sweep' })],
    [2, () => ({ kind: 'kill' })],
    [2, () => ({ kind: 'cut', mood: random.pick(['all', 'some', 'some', 'none'] as const) })],
    [1, () => ({ kind: 'reopen' })],
    [fills ? 3 : 0, () => ({ kind: 'full', bytes: random.happens(0.5) ? random.below(100_000) : undefined })],
  ];
  const some = Array.from({ length: random.between(15, 50) }, (): readonly Omit<Step, 'number'>[] => {
    const actions = random.weighted<() => readonly Action[]>([
      [70, () => someSteps(random, lone, mayBeHuge).map(step => ({ kind: 'write', step }))],
      [22, () => [{ kind: 'read', ...someRead(random) }]],
      [8, () => [random.weighted(calamities)()]],
    ])();
    // Readers are slow, and others run in between.
    const kind = actions[0]?.kind;
    const client = kind === 'sweep' ? -1 : random.below(clients) + (kind === 'read' ? FIRST_READER : 0);
    return actions.map(action => {
      const pause = random.happens(0.6) ? random.below(12) : 0;
      return { client, pause, action };
    });
  });
  const steps = some.flat().map((step, number) => ({ number, ...step }));
  return { seed, faults, failingSyncs: random.happens(0.15), steps };
}
