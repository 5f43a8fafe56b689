// What an example is: a program on a connection, which says what it found. Each checks what it says against the source file.
import type { TableServiceClient } from '@azure/data-tables';

export interface Example {
  /** What it shows. */
  readonly title: string;
  run(client: TableServiceClient, say: (line: string) => void): Promise<void>;
}
