// An example: a program that runs on a connection, prints its findings, and checks them against the source file.
import type { TableServiceClient } from '@azure/data-tables';

export interface Example {
  /** The subject of the example. */
  readonly title: string;
  run(client: TableServiceClient, say: (line: string) => void): Promise<void>;
}
