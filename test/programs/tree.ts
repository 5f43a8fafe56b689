// A tree of files as people have them: thousands of small ones, empty ones, some of many blocks, and names that have to be encoded. It is the
// same in every run.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Around the bounds inside: a head holds 16 KiB of content itself. */
const SIZES: readonly number[] = [0, 1, 90, 700, 2_300, 5_000, 16_384, 16_385, 40_000];

/** Each needs care at some place between a file system, a URL, a signature, an XML document and back. */
const ODD_NAMES: readonly string[] = [
  ' begins with a space',
  'ends with a space ',
  'ends with a dot.',
  'dots...inside',
  'a+b',
  'a%2Fb',
  'per%cent',
  'q?x=1&y=2',
  '#hash',
  "apostrophe'",
  'quote"',
  '<angle>',
  '[square]{curly}',
  'semi;colon',
  'colon:pipe|',
  'back\\slash',
  '~tilde',
  'Tränen',
  'e\u0301 combined',
  '日本語',
  '🎉 beyond the BMP',
  'line\nfeed',
  'tab\tand \u0001 control',
  'n'.repeat(200),
];

const bytesOf = (name: string, size: number): Buffer => {
  const seed = createHash('sha512').update(name).digest();
  return Buffer.alloc(size, seed);
};

const put = (directory: string, name: string, content: Buffer | string): void =>
  writeFileSync(join(directory, name), content);

/** Writes `files` files into folders, and a few entries with odd names, including a folder. */
export function plantTree(root: string, files: number): void {
  const perFolder = 60;
  for (let at = 0; at < files; at++) {
    const folder = join(root, `part ${Math.floor(at / perFolder) % 5}`, `sub+${Math.floor(at / perFolder)}`);
    if (at % perFolder === 0) mkdirSync(folder, { recursive: true });
    const name = `file-${at}.txt`;
    put(folder, name, bytesOf(name, SIZES[at % SIZES.length] ?? 0));
  }
  const odd = join(root, 'odd & ends');
  mkdirSync(odd, { recursive: true });
  for (const name of ODD_NAMES) put(odd, name, name);
  mkdirSync(join(odd, 'dot.', 'a b+c%'), { recursive: true });
  put(join(odd, 'dot.', 'a b+c%'), 'deep', 'deep');
}

/** A file of this many MiB, with bytes of its own. */
export function plantLarge(root: string, name: string, mebibytes: number): void {
  const path = join(root, name);
  writeFileSync(path, '');
  for (let at = 0; at < mebibytes; at++) {
    writeFileSync(path, bytesOf(`${name} ${at}`, 1024 * 1024), { flag: 'a' });
  }
}

/** The digest of each file, by its path below the root. */
export function digestsOf(root: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
      .map(path => [relative(root, path), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}
