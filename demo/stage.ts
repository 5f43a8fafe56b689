// What every chapter of the demo works with: the client's tables, what went over the wire, and the page to print on.
import { TableClient } from '@azure/data-tables';
import type { RunningServer } from 'shelfmark';
import type { Dataset } from './dataset.js';
import type { Report } from './report.js';
import { WireLog } from './wire-log.js';

export interface LoadedTable {
  readonly client: TableClient;
  /** What the file holds, to compare each answer with. */
  readonly dataset: Dataset;
}

export interface Stage {
  readonly report: Report;
  readonly log: WireLog;
  readonly airports: LoadedTable;
  readonly movies: LoadedTable;
  /** One more client of the table, that shares nothing with the others but the log. */
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
