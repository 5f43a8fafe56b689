// Entities as the client hands them out, made comparable with the data set's and fit to print.

/** The entity without what the service added to it. */
export function ownProperties(entity: object): Record<string, unknown> {
  const own: Record<string, unknown> = { ...entity };
  delete own.etag;
  delete own.timestamp;
  delete own['odata.metadata'];
  return own;
}

/** A cell of the report; a value that is not there is a dash. */
export function cell(value: unknown): string | number | bigint {
  if (value === undefined || value === null) return '-';
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === 'number' || typeof value === 'bigint' ? value : String(value);
}
