// The context of every chapter of the demo: the client's tables, the log of the wire, and the output.
import { TableClient } from '@azure/data-tables';
import type { RunningServer } from 'shelfmark';
import type { Dataset } from '../data/dataset.js';
import type { Report } from './report.js';
import { WireLog } from './wire-log.js';

export interface LoadedTable {
  readonly client: TableClient;
  /** The file's data, to compare each answer with. */
  readonly dataset: Dataset;
}

export interface Stage {
  readonly report: Report;
  readonly log: WireLog;
  readonly airports: LoadedTable;
  readonly movies: LoadedTable;
  /** Another client of the table, which shares only the log with the others. */
  connect(table: string): TableClient;
}

/** Opens both tables on a server. A stage ends with its server: ports change when it starts again. */
export function openStage(
  server: RunningServer,
  report: Report,
  sets: { readonly airports: Dataset; readonly movies: Dataset },
): Stage {
  const log = new WireLog();
  const connect = (table: string): TableClient =>
    TableClient.fromConnectionString(server.connectionString(), table, {
      allowInsecureConnection: true,
      additionalPolicies: [{ policy: log.policy, position: 'perRetry' }],
    });
  const { airports, movies } = sets;
  return {
    report,
    log,
    airports: { client: connect(airports.table), dataset: airports },
    movies: { client: connect(movies.table), dataset: movies },
    connect,
  };
}
