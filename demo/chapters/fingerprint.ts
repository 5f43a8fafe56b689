// A table's fingerprint, to compare its contents before and after a restart.
import { createHash } from 'node:crypto';
import type { TableClient } from '@azure/data-tables';

export interface Fingerprint {
  readonly rows: number;
  /** SHA-256 over every entity in the order read, its ETag and Timestamp included; hexadecimal. */
  readonly digest: string;
}

/** JSON has no bigint; wrapped, 5n stays apart from 5 and '5'. */
const writable = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { int64: String(value) } : value;

export async function fingerprint(client: TableClient): Promise<Fingerprint> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const entity of client.listEntities()) {
    hash.update(`${JSON.stringify(entity, writable)}\n`);
    rows += 1;
  }
  return { rows, digest: hash.digest('hex') };
}
