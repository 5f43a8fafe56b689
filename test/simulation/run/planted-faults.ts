// Stores that break one law each, and one that breaks none, for tests of the judges that must find them: the simulation
// and the model of a queue.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Decision, inPlace, type Row, type Store } from '#store';
import { withMembers } from '../../planted/members.js';
import type { Plant } from './subject.js';

export interface Fault {
  readonly plant: Plant;
  /** The simulation's message contains all of it; otherwise another fault would have been found. */
  readonly finding: readonly RegExp[];
}

const IN_PARTITION = /^No order of the calls on table \w+, partition /;
const OF_MESSAGE = /^No order of the calls on m\d+ in [\w-]+ explains this answer/;
const OF_ROWS = / has \d+ places, \d+ messages and counts \d+\.$/;

/** The store with some methods of its own. */
export const changed =
  (change: (inner: Store) => Partial<Store>): Plant =>
  inner =>
    withMembers(inner, change(inner));

type Changes = Pick<Decision<unknown>, 'puts' | 'deletes'>;

/** Changes what is decided on a queue before it is done; answers are unchanged. */
const onQueues = (plant: (changes: Changes) => Changes): Plant =>
  changed(inner => ({
    commit: (space, partition, reads, decide) =>
      inner.commit(space, partition, reads, (rows, tick) => {
        const decision = decide(rows, tick);
        return space.service === 'queue' ? { ...decision, ...plant(decision) } : decision;
      }),
  }));

const isPlace = (key: string): boolean => key.startsWith('at/');
const movesOne = ({ puts = [] }: Changes): boolean => puts.some(({ key }) => isPlace(key));
/** By a digit of its place, which is as good as chance. */
const isUnlucky = ({ puts = [] }: Changes): boolean =>
  puts.some(({ key }) => key.startsWith('id/')) && (puts[0]?.key.charCodeAt(20) ?? 0) % 3 === 0;

export const QUEUE_FAULTS: Readonly<Record<string, Fault>> = {
  'a message that is got stays visible too': {
    plant: onQueues(({ puts = [], deletes = [] }) => ({
      deletes: movesOne({ puts }) ? deletes.filter(key => !isPlace(key)) : deletes,
    })),
    finding: [new RegExp(`${OF_MESSAGE.source}|^One answer shows [\\w-]+ twice|${OF_ROWS.source}`)],
  },
  'a message that was deleted comes back': {
    plant: onQueues(({ puts = [], deletes = [] }) => ({
      deletes: movesOne({ puts }) ? deletes : [],
    })),
    finding: [OF_MESSAGE, /possible before: gone\n/],
  },
  'some messages are answered and not kept': {
    plant: onQueues(({ puts = [] }) => ({
      puts: isUnlucky({ puts }) ? [] : puts,
    })),
    finding: [OF_MESSAGE, /possible before: there: /, /MessageNotFound|"messages":\[\]/],
  },
  'messages are lost and counted': {
    plant: onQueues(({ puts = [] }) => ({
      puts: isUnlucky({ puts }) ? puts.filter(({ key }) => !isPlace(key) && !key.startsWith('id/')) : puts,
    })),
    finding: [OF_MESSAGE, /possible before: there: /],
  },
  'an update is answered and not kept': {
    plant: onQueues(({ puts = [], deletes = [] }) => {
      const isUpdate = deletes.length > 0 && puts.length > 0 && isUnlucky({ puts });
      return isUpdate ? { puts: [], deletes: [] } : { puts, deletes };
    }),
    finding: [OF_MESSAGE],
  },
  'messages that are deleted stay in the count': {
    plant: onQueues(({ puts = [], deletes = [] }) => ({
      puts: movesOne({ puts }) ? puts : puts.filter(({ key }) => deletes.length === 0 || key !== 'count'),
      deletes,
    })),
    finding: [OF_ROWS],
  },
  'messages are hidden for no time': {
    plant: onQueues(({ puts = [], deletes = [] }) => ({
      puts: puts.map(({ key, value }) => ({
        key: isPlace(key) && deletes.length > 0 ? `at/${key.slice(19, 35)}${key.slice(19)}` : key,
        value,
      })),
    })),
    finding: [OF_MESSAGE],
  },
};

const stillTick = (tick: bigint): bigint => tick - (tick % 100_000n);
const still = (row: Row): Row => ({ ...row, version: stillTick(row.version) });

/** By its version, which is as good as chance. */
const isUnluckyRow = (row: Row | undefined): boolean => row !== undefined && row.version % 5n === 0n;

export const TABLE_FAULTS: Readonly<Record<string, Fault>> = {
  'a commit of several rows loses its last': {
    plant: changed(inner => ({
      commit: (space, partition, reads, decide) =>
        inner.commit(space, partition, reads, (rows, tick) => {
          const decision = decide(rows, tick);
          const { puts = [] } = decision;
          return { ...decision, puts: puts.slice(0, Math.max(1, puts.length - 1)) };
        }),
    })),
    finding: [IN_PARTITION],
  },
  'a commit of several rows is done in two halves': {
    plant: changed(inner => ({
      commit: async (space, partition, reads, decide) => {
        await inner.commit(space, partition, reads, (rows, tick) => {
          const { puts = [] } = decide(rows, tick);
          return { result: undefined, puts: puts.slice(0, Math.floor(puts.length / 2)) };
        });
        await nextTurn();
        return inner.commit(space, partition, reads, decide);
      },
    })),
    finding: [IN_PARTITION],
  },
  'a page begins one row after the end of the one before': {
    plant: changed(inner => ({
      scan: async (...call) => {
        const end = await inner.scan(...call);
        return end.next ? { ...end, next: { ...end.next, key: `${end.next.key}\0` } } : end;
      },
    })),
    finding: [IN_PARTITION, /"next":\{"partition":"[^"]*","key":"[^"]*\\u0000"\}/],
  },
  'decisions are made on rows that were read before': {
    plant: changed(inner => ({
      commit: async (space, partition, reads, decide) => {
        const keys = await inner.read(space, partition, reads.keys);
        await nextTurn();
        return inner.commit(space, partition, reads, ({ range }, tick) => decide({ keys, range }, tick));
      },
    })),
    finding: [IN_PARTITION],
  },
  'versions stand still': {
    plant: changed(inner => ({
      read: async (...call) => (await inner.read(...call)).map(row => row && still(row)),
      scan: (space, range, budget, visit) =>
        inner.scan(space, range, budget, row => visit(inPlace(still(row)))),
      commit: (space, partition, reads, decide) =>
        inner.commit(space, partition, reads, ({ keys, range }, tick) =>
          decide({ keys: keys.map(row => row && still(row)), range: range.map(still) }, stillTick(tick)),
        ),
    })),
    finding: [IN_PARTITION, /"versions":\["\d+00000"/],
  },
  'a row that is there is not found': {
    plant: changed(inner => ({
      read: async (...call) => (await inner.read(...call)).map(row => (isUnluckyRow(row) ? undefined : row)),
    })),
    finding: [IN_PARTITION, /"code":"ResourceNotFound"/],
  },
  'a page lacks a row': {
    plant: changed(inner => ({
      scan: (space, range, budget, visit) =>
        inner.scan(space, range, budget, row => (isUnluckyRow(row) ? false : visit(row))),
    })),
    finding: [IN_PARTITION, /"entities":\[/],
  },
  'a page shows a row twice': {
    plant: changed(inner => ({
      scan: (space, range, budget, visit) =>
        inner.scan(space, range, budget, row => {
          if (isUnluckyRow(row)) visit(row);
          return visit(row);
        }),
    })),
    finding: [/^The page is not in order\.|^The page holds \d+ entities\./],
  },
  'a row that is deleted stays': {
    plant: changed(inner => ({
      commit: (space, partition, reads, decide) =>
        inner.commit(space, partition, reads, (...call) => ({ ...decide(...call), deletes: [] })),
    })),
    finding: [IN_PARTITION],
  },
  'what a table is told of itself is forgotten': {
    plant: changed(inner => ({ updateSpace: space => inner.getSpace(space) })),
    finding: [/^No order of the calls on (?:table \w+|the settings) explains/, /"texts":\[/],
  },
  'a table that is dropped stays': {
    plant: changed(() => ({ dropSpace: async () => true })),
    finding: [/^No order of the calls on table \w+ explains/],
  },
  'a table that is there is made again': {
    plant: changed(inner => ({
      createSpace: async (...call) => (await inner.createSpace(...call)) ?? inner.getSpace(call[0]),
    })),
    finding: [/^No order of the calls on table \w+ explains/],
  },
  'a list of tables lacks the last': {
    plant: changed(inner => ({
      listSpaces: async (...call) => (await inner.listSpaces(...call)).slice(0, -1),
    })),
    finding: [/^No order of the calls on table \w+ explains/, /"tables":\[/],
  },
  'a list of tables is out of order': {
    plant: changed(inner => ({
      listSpaces: async (...call) => (await inner.listSpaces(...call)).toReversed(),
    })),
    finding: [/^The list is (?:\w+,)+\w+\.$/],
  },
  'reads are of some moments ago': {
    plant: changed(inner => {
      const known = new Map<string, readonly (Row | undefined)[]>();
      return {
        read: async (space, partition, keys) => {
          const name = JSON.stringify([space.id, partition, keys]);
          const old = known.get(name);
          const now = await inner.read(space, partition, keys);
          known.set(name, now);
          return old ?? now;
        },
      };
    }),
    finding: [IN_PARTITION],
  },
};

/** Passes every call on unchanged. */
export const honest: Plant = changed(() => ({}));
