// The faults of a run, drawn from its seed: a list of rounds, each with one fault or two concurrent ones. The cluster
// must survive all of them.
import fc from 'fast-check';
import { below, type Draw, drawFrom, from } from '../../random/arbitrary.js';

export type Fault =
  | {
      readonly kind: 'kill' | 'pause' | 'delay commits' | 'cut off' | 'deafen' | 'cut connections';
      readonly node: number;
    }
  /** Two nodes that reach all others. */
  | { readonly kind: 'separate'; readonly node: number; readonly other: number }
  | { readonly kind: 'kill a front end'; readonly frontEnd: number };

export interface Begun {
  readonly fault: Fault;
  /** Milliseconds after the round's first. */
  readonly after: number;
}

export interface Round {
  readonly faults: readonly Begun[];
  /** Until everything is over, in milliseconds. */
  readonly hold: number;
  /** Only one node fails: some request must be answered all the time. */
  readonly isOfOneNode: boolean;
  /** Two nodes are away together: no answer is required. */
  readonly isOfTwoNodes: boolean;
}

const HOLD_MS = 9000;
const HOLD_MORE_MS = 4000;
const SHORT_HOLD_MS = 4000;
const LATER_MS = 3000;

const shown = (fault: Fault): string => {
  switch (fault.kind) {
    case 'separate':
      return `nodes ${fault.node} and ${fault.other} cut off from each other`;
    case 'kill a front end':
      return `front end ${fault.frontEnd + 1} killed`;
    case 'kill':
      return `node ${fault.node} killed`;
    case 'pause':
      return `node ${fault.node} paused`;
    case 'delay commits':
      return `commits sent to node ${fault.node} come late`;
    case 'cut off':
      return `node ${fault.node} cut off`;
    case 'deafen':
      return `replies of node ${fault.node} lost`;
    case 'cut connections':
      return `connections to node ${fault.node} cut after requests`;
  }
};

/** For the report: without numbers. */
export const kindOf = ({ faults }: Round): string => faults.map(({ fault: { kind } }) => kind).join(' + ');

export const showRound = ({ faults, hold }: Round): string =>
  `${faults.map(({ fault, after }) => `${shown(fault)}${after > 0 ? ` ${(after / 1000).toFixed(1)} s later` : ''}`).join(', ')}, for ${(hold / 1000).toFixed(1)} s`;

interface Cast {
  readonly nodes: readonly number[];
  readonly frontEnds: number;
}

type Faults = (cast: Cast) => fc.Arbitrary<readonly Fault[]>;

const one =
  (kind: 'kill' | 'pause' | 'delay commits' | 'cut off' | 'deafen' | 'cut connections'): Faults =>
  ({ nodes }) =>
    from(nodes).map(node => [{ kind, node }]);

const frontEnd: Faults = ({ frontEnds }) =>
  below(frontEnds).map(frontEnd => [{ kind: 'kill a front end', frontEnd }]);

const withFrontEnd =
  (faults: Faults): Faults =>
  cast =>
    fc.tuple(faults(cast), frontEnd(cast)).map(all => all.flat());

/** On two of the nodes, in any order. */
const onPair =
  (faultsOf: (node: number, other: number) => readonly Fault[]): Faults =>
  ({ nodes }) =>
    fc
      .shuffledSubarray([...nodes], { minLength: 2, maxLength: 2 })
      .map(([node = 0, other = 0]) => faultsOf(node, other));

const two = (first: 'kill' | 'pause' | 'cut off', second: 'pause' | 'deafen' | 'cut connections'): Faults =>
  onPair((node, other) => [
    { kind: first, node },
    { kind: second, node: other },
  ]);

const separate = onPair((node, other) => [{ kind: 'separate', node, other }]);

/** One after the other, in an order that the seed gives; those of one node come twice. */
const FAULTS: readonly Faults[] = [
  one('kill'),
  one('pause'),
  one('cut off'),
  one('deafen'),
  one('cut connections'),
  one('kill'),
  one('pause'),
  one('cut off'),
  separate,
  frontEnd,
  withFrontEnd(one('kill')),
  withFrontEnd(one('pause')),
  withFrontEnd(one('cut off')),
  withFrontEnd(one('deafen')),
  withFrontEnd(separate),
  two('kill', 'deafen'),
  two('kill', 'cut connections'),
  two('pause', 'cut connections'),
  two('cut off', 'deafen'),
  two('pause', 'pause'),
  two('kill', 'pause'),
];

/** For a single node: it comes back on its own, with its data. */
const FAULTS_OF_ONE: readonly Faults[] = [
  one('cut connections'),
  withFrontEnd(one('cut connections')),
  one('pause'),
  one('deafen'),
  one('delay commits'),
];

const roundsOf = (cast: Cast): readonly fc.Arbitrary<Round>[] =>
  (cast.nodes.length > 1 ? FAULTS : FAULTS_OF_ONE).map(faults => roundOf(faults, cast));

/** Rounds that exist for this many nodes, as `kindOf` names them. */
export function kindsFor(nodes: readonly number[]): readonly string[] {
  const draw = drawFrom(1);
  return [...new Set(roundsOf({ nodes, frontEnds: 1 }).map(round => kindOf(draw(round))))];
}

const AWAY: ReadonlySet<Fault['kind']> = new Set<Fault['kind']>(['kill', 'pause', 'cut off']);

const roundOf = (faults: Faults, cast: Cast): fc.Arbitrary<Round> =>
  fc.tuple(faults(cast), below(LATER_MS), below(HOLD_MORE_MS)).map(([all, later, more]) => {
    const isOfTwoNodes = all.filter(({ kind }) => AWAY.has(kind)).length > 1;
    const [first] = all;
    return {
      faults: all.map((fault, index) => ({ fault, after: index === 0 ? 0 : later })),
      hold: isOfTwoNodes ? SHORT_HOLD_MS : HOLD_MS + more,
      isOfOneNode: cast.nodes.length > 1 && all.length === 1 && first !== undefined && AWAY.has(first.kind),
      isOfTwoNodes,
    };
  });

/** Without end. */
export function* planOf(cast: Cast, draw: Draw): Generator<Round> {
  const rounds = roundsOf(cast);
  const orders = fc.shuffledSubarray([...rounds], { minLength: rounds.length });
  for (;;) for (const round of draw(orders)) yield draw(round);
}
