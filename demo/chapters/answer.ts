// Normalises the client's entities, so that they can be compared with the data set's and printed.

/** The entity without what the service added to it. */
export function ownProperties(entity: object): Record<string, unknown> {
  const own: Record<string, unknown> = { ...entity };
  delete own.etag;
  delete own.timestamp;
  delete own['odata.metadata'];
  return own;
}

/** A cell of the report; a missing value is a dash. */
export function cell(value: unknown): string | number | bigint {
  if (value === undefined || value === null) return '-';
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === 'number' || typeof value === 'bigint' ? value : String(value);
}
