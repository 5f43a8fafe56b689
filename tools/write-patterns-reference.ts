// Writes the reference of the pattern library to the file that the first argument names, or to docs/patterns/reference.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patternsReference } from './reference.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compiled = join(root, 'dist', 'packages', 'patterns');
const target = process.argv[2] ?? join(root, 'docs', 'patterns', 'reference.md');

writeFileSync(target, patternsReference(compiled));
process.stdout.write(`${target}\n`);
