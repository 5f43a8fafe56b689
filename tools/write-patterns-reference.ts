// Writes the reference of the pattern library to the file that the first argument names, or to docs/patterns/reference.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportedBy, formatReference } from './reference.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const index = join(root, 'dist', 'packages', 'patterns', 'index.d.ts');
const target = process.argv[2] ?? join(root, 'docs', 'patterns', 'reference.md');

writeFileSync(target, formatReference('Reference of shelfmark-patterns', exportedBy(index)));
process.stdout.write(`${target}\n`);
