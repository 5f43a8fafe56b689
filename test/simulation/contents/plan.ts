// The meaning of a seed: clients that write and read a few blobs at once, and events of the process and its disk in between.
import fc from 'fast-check';
import type { ReadCall, WriteCall } from '../../blobs/blob-call.js';
import type { Step as BlobStep } from '../../blobs/blob-model.js';
import { someRead, someSteps } from '../../blobs/some-step.js';
import type { Mood } from '../../power-cut/file-content.js';
import { below, chance, drawFrom, from, maybe, oneOf, seldom, several } from '../../random/arbitrary.js';

export type Action =
  | Omit<WriteCall, 'container'>
  | Omit<ReadCall, 'container'>
  | { readonly kind: 'drop' | 'make' }
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
  /** Of the store and its contents (packages/store/faulty-store.ts). */
  readonly faults: boolean;
  /** Some syncs fail. */
  readonly failingSyncs: boolean;
  readonly steps: readonly Step[];
}

/** Readers are clients from here on. */
const FIRST_READER = 10;

const LONE: readonly BlobStep['kind'][] = [
  ...(['copy', 'copy', 'deleteSnapshot', 'deleteSnapshot', 'tier', 'lease'] as const),
  ...(['copyFromUrl', 'putFromUrl', 'appendFromUrl', 'blockFromUrl', 'pagesFromUrl'] as const),
];

const SETTINGS = fc.record({
  clients: from([1, 1, 1, 2, 3, 4]),
  faults: chance(30),
  failingSyncs: chance(15),
  fills: chance(25),
  mayBeHuge: chance(5),
});
type Settings = typeof SETTINGS extends fc.Arbitrary<infer T> ? T : never;

const calamity = (fills: boolean): fc.Arbitrary<Action> =>
  oneOf<Action>(
    [4, fc.constant({ kind: 'sweep' })],
    [2, fc.constant({ kind: 'kill' })],
    [2, from(['all', 'some', 'some', 'none'] as const).map(mood => ({ kind: 'cut', mood }))],
    [1, fc.constant({ kind: 'reopen' })],
    [fills ? 3 : 0, maybe(50, below(100_000)).map(bytes => ({ kind: 'full', bytes }))],
  );

/** One client's next steps. */
function stepsOf({ clients, fills, mayBeHuge }: Settings): fc.Arbitrary<readonly Omit<Step, 'number'>[]> {
  const lone = clients === 1 ? LONE : [];
  const actions = oneOf<readonly Action[]>(
    [70, someSteps({ lone, mayBeHuge }).map(all => all.map(step => ({ kind: 'write', step })))],
    [lone.length > 0 ? 1 : 0, fc.constant([{ kind: 'drop' }, { kind: 'make' }])],
    [22, someRead.map(read => [{ kind: 'read', ...read }])],
    [8, calamity(fills).map(one => [one])],
  );
  const pauses = several(seldom(40, fc.constant(0), below(12)), 3, 3);
  return fc.tuple(actions, below(clients), pauses).map(([all, client, pauses]) => {
    // Readers are slow, and others run in between.
    const [{ kind } = { kind: 'sweep' }] = all;
    const own = kind === 'sweep' ? -1 : client + (kind === 'read' ? FIRST_READER : 0);
    return all.map((action, at) => ({ client: own, pause: pauses[at] ?? 0, action }));
  });
}

const plans = SETTINGS.chain(settings =>
  several(stepsOf(settings), 15, 50).map(some => {
    const steps = some.flat().map((step, number) => ({ number, ...step }));
    return { ...settings, steps };
  }),
);

export const planOf = (seed: number): Plan => ({ seed, ...drawFrom(seed)(plans) });
