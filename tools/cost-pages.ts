// The pages of docs/patterns that have a table of costs, and the functions that count them.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyCosts } from './copy-costs.js';
import { indexCosts, listCosts } from './index-costs.js';
import { encryptionCosts, largeCosts, wideCosts } from './shape-costs.js';
import { logCosts, seriesCosts } from './time-costs.js';

const pages = join(fileURLToPath(new URL('../..', import.meta.url)), 'docs', 'patterns');

/** A page, and the function that counts its table. */
interface CostPage {
  readonly name: string;
  readonly path: string;
  costs(): Promise<string>;
}

export const COST_PAGES: readonly CostPage[] = [
  ['indexes.md', indexCosts] as const,
  ['lists.md', listCosts] as const,
  ['one-to-many.md', copyCosts] as const,
  ['wide.md', wideCosts] as const,
  ['large.md', largeCosts] as const,
  ['series.md', seriesCosts] as const,
  ['logbook.md', logCosts] as const,
  ['encryption.md', encryptionCosts] as const,
].map(([name, costs]) => ({ name, path: join(pages, name), costs }));
