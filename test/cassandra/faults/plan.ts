// The failures of a run, drawn from its seed: a list of rounds, each with one fault or two at a time. The cluster must survive all of them.
import { Random } from '../../simulation/plan/random.js';

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
  /** Until all of it has ended, in milliseconds. */
  readonly hold: number;
  /** One node alone fails: some clients must be answered at all times. */
  readonly isOfOneNode: boolean;
  /** Two nodes are away together: no client has to be answered. */
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
  readonly random: Random;
  readonly nodes: readonly number[];
  readonly frontEnds: number;
}

/** Two of the nodes, in any order. */
function pairOf({ random, nodes }: Cast): readonly [number, number] {
  const node = random.pick(nodes);
  return [node, random.pick(nodes.filter(other => other !== node))];
}

type Draw = (cast: Cast) => readonly Fault[];

const one =
  (kind: 'kill' | 'pause' | 'delay commits' | 'cut off' | 'deafen' | 'cut connections'): Draw =>
  ({ random, nodes }) => [{ kind, node: random.pick(nodes) }];

const withFrontEnd =
  (kind: 'kill' | 'pause' | 'cut off' | 'deafen' | 'cut connections'): Draw =>
  cast => [...one(kind)(cast), { kind: 'kill a front end', frontEnd: cast.random.below(cast.frontEnds) }];

const two =
  (first: 'kill' | 'pause' | 'cut off', second: 'pause' | 'deafen' | 'cut connections'): Draw =>
  cast => {
    const [node, other] = pairOf(cast);
    return [
      { kind: first, node },
      { kind: second, node: other },
    ];
  };

const separate: Draw = cast => {
  const [node, other] = pairOf(cast);
  return [{ kind: 'separate', node, other }];
};

/** One after the other, in an order that the seed gives; those of one node come twice. */
const DRAWS: readonly Draw[] = [
  one('kill'),
  one('pause'),
  one('cut off'),
  one('deafen'),
  one('cut connections'),
  one('kill'),
  one('pause'),
  one('cut off'),
  separate,
  cast => [{ kind: 'kill a front end', frontEnd: cast.random.below(cast.frontEnds) }],
  withFrontEnd('kill'),
  withFrontEnd('pause'),
  withFrontEnd('cut off'),
  withFrontEnd('deafen'),
  cast => [...separate(cast), { kind: 'kill a front end', frontEnd: cast.random.below(cast.frontEnds) }],
  two('kill', 'deafen'),
  two('kill', 'cut connections'),
  two('pause', 'cut connections'),
  two('cut off', 'deafen'),
  two('pause', 'pause'),
  two('kill', 'pause'),
];

/** With one node: it comes back on its own, with its data. */
const DRAWS_OF_ONE: readonly Draw[] = [
  one('cut connections'),
  withFrontEnd('cut connections'),
  one('pause'),
  one('deafen'),
  one('delay commits'),
];

const drawsFor = (nodes: readonly number[]): readonly Draw[] => (nodes.length > 1 ? DRAWS : DRAWS_OF_ONE);

/** The kinds of rounds, as `kindOf` names them, for this many nodes. */
export function kindsFor(nodes: readonly number[]): readonly string[] {
  const cast = { random: new Random(1), nodes, frontEnds: 1 };
  return [...new Set(drawsFor(nodes).map(draw => kindOf(roundOf(draw, cast))))];
}

const AWAY: ReadonlySet<Fault['kind']> = new Set<Fault['kind']>(['kill', 'pause', 'cut off']);

function roundOf(draw: Draw, cast: Cast): Round {
  const faults = draw(cast);
  const isOfTwoNodes = faults.filter(({ kind }) => AWAY.has(kind)).length > 1;
  const { random } = cast;
  const [first] = faults;
  return {
    faults: faults.map((fault, index) => ({ fault, after: index === 0 ? 0 : random.below(LATER_MS) })),
    hold: isOfTwoNodes ? SHORT_HOLD_MS : HOLD_MS + random.below(HOLD_MORE_MS),
    isOfOneNode: cast.nodes.length > 1 && faults.length === 1 && first !== undefined && AWAY.has(first.kind),
    isOfTwoNodes,
  };
}

/** Without end. */
export function* planOf(cast: Cast): Generator<Round> {
  for (;;) {
    const left = [...drawsFor(cast.nodes)];
    while (left.length > 0) {
      const [draw] = left.splice(cast.random.below(left.length), 1);
      if (draw !== undefined) yield roundOf(draw, cast);
    }
  }
}
