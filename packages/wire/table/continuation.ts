// Continuation tokens: the key of the next row in the form that Azure gives it (protocol: queries#continuation).
// A token names the next row itself, and stays valid when that row is deleted.
import { type EntityKey, TableError } from '#tables';

/** `1!<length>!<base64 of the UTF-8>`, with `-` for the padding. */
export function formatToken(key: string): string {
  const encoded = Buffer.from(key, 'utf8').toString('base64').replaceAll('=', '-');
  return `1!${encoded.length}!${encoded}`;
}

const TOKEN = /^1!(\d+)!([A-Za-z0-9+/_]*-{0,2})$/;

/** Azure's own tokens for tables have the time of creation after U+0001; only the name is used. */
export function parseToken(text: string): string {
  const [, length, encoded] = TOKEN.exec(text) ?? [];
  if (encoded === undefined || Number(length) !== encoded.length) throw new TableError('InvalidInput');
  const key = Buffer.from(encoded.replaceAll('-', '='), 'base64').toString('utf8');
  return key.split('\u0001', 1)[0] ?? key;
}

type Parameters = ReadonlyMap<string, string>;

/** Without a row key the page begins with its partition; an empty one is no token (protocol: queries#continuation). */
export function parseEntityToken(query: Parameters): EntityKey | undefined {
  const [partition, row] = [query.get('NextPartitionKey'), query.get('NextRowKey')];
  if (!partition) return undefined;
  return { partitionKey: parseToken(partition), rowKey: row === undefined ? '' : parseToken(row) };
}

/** Plain names, from before tokens had a form, are accepted too. */
export function parseTableToken(query: Parameters): string | undefined {
  const text = query.get('NextTableName');
  return text && (text.startsWith('1!') ? parseToken(text) : text);
}

type Header = readonly [name: string, value: string];

/** An empty row key is left out: clients drop it, and Azure refuses it when it comes back. */
export function entityTokenHeaders(next: EntityKey | undefined): Header[] {
  if (!next) return [];
  const partition: Header = ['x-ms-continuation-NextPartitionKey', formatToken(next.partitionKey)];
  return next.rowKey === ''
    ? [partition]
    : [partition, ['x-ms-continuation-NextRowKey', formatToken(next.rowKey)]];
}

export const tableTokenHeaders = (next: string | undefined): Header[] =>
  next === undefined ? [] : [['x-ms-continuation-NextTableName', formatToken(next)]];
