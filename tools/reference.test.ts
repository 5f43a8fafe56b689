// The reference of the pattern library has everything that is exported, whole, and with a comment where a user would look for one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { declarationsIn, ENTRIES, exportedBy, formatReference } from './reference.js';

const index = join(fileURLToPath(new URL('../packages/patterns', import.meta.url)), 'index.d.ts');

test('declarations are read whole, with their comments', () => {
  const text = `import { A } from './a.js';
/** One. */
export interface One {
    /** a } */
    readonly a: '{';
}
declare const hidden: number;
/**
 * Two
 * lines.
 */
export declare function two<T extends {
    a: 1;
}>(a: T): void;
export declare function two(a: string): void;
export type Three = 'a' | 'b';
//# sourceMappingURL=x
`;
  const [one, two, three, ...rest] = declarationsIn(text);
  assert.deepEqual(rest, []);
  assert.deepEqual([one?.name, one?.kind, one?.comment], ['One', 'interface', 'One.']);
  assert.match(one?.code ?? '', /^interface One \{.*\}$/s);
  assert.equal(two?.comment, 'Two\nlines.');
  assert.match(
    two?.code ?? '',
    /a: 1;\n\}>.*\nexport declare function two\(a: string\)|a: 1;\n\}>.*\nfunction two\(a: string\)/s,
  );
  assert.equal(three?.code, "type Three = 'a' | 'b';");
});

test('everything that is exported is there', () => {
  const files = exportedBy(index);
  const names = [...readFileSync(index, 'utf8').matchAll(/\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map(name => name.trim().replace(/^type /, '')),
  );
  const declared = [...files.values()].flat();
  assert.deepEqual(declared.map(({ name }) => name).toSorted(), names.filter(name => name !== '').toSorted());
  const page = formatReference('Reference', files);
  for (const name of names) assert(page.includes(name));
});

test('every name has a comment, which editors show', () => {
  const silent = ENTRIES.flatMap(entry =>
    [...exportedBy(join(dirname(index), `${entry}.d.ts`)).values()]
      .flat()
      .filter(({ comment }) => comment === ''),
  );
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  );
});
