// Builds the explorer's page from packages/explorer/page into dist, next to the compiled server: checks its types with
// the browser's libraries, then bundles it. Does nothing if no source has changed since. `npm run build` calls it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(ROOT, 'packages', 'explorer', 'page');
const SITE = join(ROOT, 'dist', 'packages', 'explorer', 'site');
const STAMP = join(ROOT, 'dist', '.site-stamp');
/** What the bundle is made of. The page's own imports are in packages/explorer; these are behind its aliases. */
const SOURCES = [
  'packages/explorer/page',
  'packages/explorer/model',
  'packages/data-tools/line',
  'packages/data-tools/explain',
  'packages/patterns/model',
  'packages/data-tools/formats',
  'packages/data-tools/write',
  'packages/patterns/values',
];

const OTHER_SOURCES = ['package-lock.json', 'tools/build-page.ts'];

/** WebAssembly of 43 kB with gzip in the client of blobs, for checksums that it computes only when asked to. */
const WITHOUT_CRC64: Plugin = {
  name: 'without-crc64',
  load: id =>
    id.endsWith('/@azure/storage-common/dist/browser/crc64.js')
      ? "export default () => Promise.reject(new Error('The page has no CRC-64.'));"
      : undefined,
};

/** Shared with the development server (explorer-dev.ts). */
export const PAGE_CONFIG: InlineConfig = {
  configFile: false,
  root: PAGE,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [WITHOUT_CRC64],
};

function digestOfSources(): string {
  const digest = createHash('sha256');
  const files = SOURCES.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name)),
  );
  for (const file of [...files, ...OTHER_SOURCES.map(name => join(ROOT, name))].sort())
    digest.update(file.slice(ROOT.length)).update(readFileSync(file));
  return digest.digest('hex');
}

async function buildPage(): Promise<number> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const checked = spawnSync(tsc, ['--project', PAGE], { stdio: 'inherit' });
  if (checked.status !== 0) return 1;
  const { build } = await import('vite');
  await build({
    ...PAGE_CONFIG,
    logLevel: 'warn',
    // The notices that the licenses of what is bundled require.
    build: {
      outDir: SITE,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      license: { fileName: 'licenses.txt' },
    },
  });
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const digest = digestOfSources();
  const isBuilt = existsSync(join(SITE, 'index.html')) && existsSync(STAMP);
  if (!isBuilt || readFileSync(STAMP, 'utf8') !== digest) {
    process.exitCode = await buildPage();
    if (process.exitCode === 0) writeFileSync(STAMP, digest);
  }
}
