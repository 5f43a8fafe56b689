// Faults that are planted in front ends, to show that a run's judges find them: each breaks the engine's session with the cluster.
import cassandra from 'cassandra-driver';
import { Partition } from '../../../../packages/store-cassandra/commit/partition.js';
import { type Answer, Session } from '../../../../packages/store-cassandra/session/session.js';

const { consistencies } = cassandra.types;
const CONDITION = / IF fence = \?$/;

/** Called in place of `writeIf`, with it. */
type Around = (write: () => Promise<Answer>) => Promise<Answer>;

function aroundCommits(around: Around): void {
  const { writeIf } = Session.prototype;
  Session.prototype.writeIf = function (statements) {
    return around(() => writeIf.call(this, statements));
  };
}

/** The driver's methods as the session calls them. */
interface DriverCalls {
  batch(
    queries: readonly { readonly query: string; readonly params: readonly unknown[] }[],
    options: cassandra.QueryOptions,
  ): Promise<unknown>;
  execute(query: string, params?: unknown, options?: cassandra.QueryOptions): Promise<unknown>;
}

const APPLIED: Answer = { kind: 'applied' };

export const PLANTS = {
  'answers before it commits': () =>
    aroundCommits(async write => {
      write().catch(() => undefined);
      return APPLIED;
    }),
  'takes an unclear commit for one that happened': () =>
    aroundCommits(async write => {
      const answer = await write();
      return answer.kind === 'unclear' ? APPLIED : answer;
    }),
  'takes an unclear commit for one that did not happen': () =>
    aroundCommits(async write => {
      const answer = await write();
      return answer.kind === 'unclear' ? { kind: 'refused' } : answer;
    }),
  'takes a refused commit for one that happened': () =>
    aroundCommits(async write => {
      const answer = await write();
      return answer.kind === 'refused' ? APPLIED : answer;
    }),
  'looks for the outcome without a barrier': () => {
    const { readOutcome } = Partition.prototype;
    Partition.prototype.readOutcome = async function (id) {
      const { isApplied } = await readOutcome.call(this, id);
      return { fence: -1n, isApplied };
    };
  },
  'commits without a condition': () => {
    const client = cassandra.Client.prototype as DriverCalls;
    const { batch } = client;
    client.batch = function (queries, options) {
      const free = queries.map(({ query, params }) =>
        CONDITION.test(query)
          ? { query: query.replace(CONDITION, ''), params: params.slice(0, -1) }
          : { query, params },
      );
      return batch.call(this, free, options);
    };
  },
  'reads what one copy has': () => {
    const client = cassandra.Client.prototype as DriverCalls;
    const { execute } = client;
    client.execute = function (query, params, options) {
      // The session identifies requests by their options.
      if (query.startsWith('SELECT') && options !== undefined) options.consistency = consistencies.one;
      return execute.call(this, query, params, options);
    };
  },
  'leaves out the last row of a commit': () => {
    const { write } = Partition.prototype;
    Partition.prototype.write = function (change) {
      const puts = change.puts.length > 2 ? change.puts.slice(0, -1) : change.puts;
      return write.call(this, { ...change, puts });
    };
  },
} as const satisfies Readonly<Record<string, () => void>>;

export type PlantName = keyof typeof PLANTS;

export const isPlant = (name: string): name is PlantName => name in PLANTS;
