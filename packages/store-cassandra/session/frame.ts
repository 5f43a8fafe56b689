// A commit's size as a node receives it, and its limit. A larger one is refused here, because a node would close the
// connection.
import { StoreError } from '#store';
import type { Statement } from './session.js';

/**
 * Bytes. A node accepts requests of 16 MiB (`native_transport_max_frame_size`) and changes of half a segment of its
 * log, 16 MiB too (`max_mutation_size`); Paxos writes a change with its ballot, and each cell with its time.
 */
export const COMMIT_BYTES_MAX = 15 * 1024 * 1024;

/** A batch counts them in two bytes (native_protocol_v4.spec, section 4.1.7). */
export const COMMIT_STATEMENTS_MAX = 65_535;

/** Kind, id of a prepared statement and count of values (native_protocol_v4.spec, section 4.1.7). */
const STATEMENT_BYTES = 1 + 2 + 16 + 2;
const LENGTH_BYTES = 4;
const NUMBER_BYTES = 8;

const paramBytes = (param: Statement['params'][number]): number => {
  if (param === null) return LENGTH_BYTES;
  if (Buffer.isBuffer(param)) return LENGTH_BYTES + param.length;
  if (typeof param === 'string') return LENGTH_BYTES + Buffer.byteLength(param);
  return LENGTH_BYTES + NUMBER_BYTES;
};

export const frameBytes = (statements: readonly Statement[]): number =>
  statements.reduce(
    (sum, { params }) =>
      params.reduce<number>((own, param) => own + paramBytes(param), sum + STATEMENT_BYTES),
    0,
  );

/** @throws StoreError `tooLarge`, before anything is sent. */
export function mustFit(statements: readonly Statement[]): void {
  const { length } = statements;
  const bytes = frameBytes(statements);
  if (length > COMMIT_STATEMENTS_MAX)
    throw new StoreError(
      'tooLarge',
      `A commit changes ${length} rows; the engine on Cassandra takes ${COMMIT_STATEMENTS_MAX}.`,
    );
  if (bytes > COMMIT_BYTES_MAX)
    throw new StoreError(
      'tooLarge',
      `A commit has ${bytes} bytes; the engine on Cassandra takes ${COMMIT_BYTES_MAX}.`,
    );
}
