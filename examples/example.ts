// An example: a program that runs on a connection, prints its findings, and checks them against the source file.
import type { TableServiceClient } from '@azure/data-tables';

export interface Example {
  /** The subject of the example. */
  readonly title: string;
  /** `connectionString` names the same account, for clients of its other services. */
  run(client: TableServiceClient, say: (line: string) => void, connectionString: string): Promise<void>;
}
