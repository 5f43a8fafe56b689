// Logs in append blobs, as `shelfmark-patterns/logbook`: what the guide says of log data, which belongs in blobs and not in tables. An entry of its own, because it needs a client of blobs and no table.
import { LogBook, type LogOptions } from './logbook/log-book.js';
import { Db } from './repo/open.js';
import type { StandardSchema } from './values/standard-schema.js';

export type { LogBook, LogEntry } from './logbook/log-book.js';

/** A log of entries that the schema accepts, which this program writes as a writer of its own. Throws DefinitionInvalid. */
export const logBook = <S extends StandardSchema>(
  db: Db,
  name: string,
  schema: S,
  options: LogOptions,
): LogBook<S> => new LogBook(Db.serviceOf(db), name, schema, options);
