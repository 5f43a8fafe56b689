// A domain for tests, whose rows name contents: one line `id bytes` for each.
import type { Inspection, NamedContent } from '#store';

export function encodeNames(contents: readonly NamedContent[]): Buffer {
  return Buffer.from(contents.map(({ id, bytes }) => `${id} ${bytes}`).join('\n'));
}

export function decodeNames({ value }: { readonly value: Buffer }): NamedContent[] {
  return value
    .toString()
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [id = '', bytes = ''] = line.split(' ');
      return { id, bytes: Number(bytes) };
    });
}

/** A row whose key is `list` names contents that name others. */
export const NAMING: Inspection = {
  space: () => undefined,
  row: () => undefined,
  contents: (_space, row) =>
    row.key === 'list'
      ? decodeNames(row).map(content => ({ ...content, names: value => decodeNames({ value }) }))
      : decodeNames(row),
};
