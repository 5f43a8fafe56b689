// Makes test/fixtures/store-format-1/data.mdb.gz from test/data-files/store-format-1.ts. It was run once, when the
// format was new; a later run would prove nothing. LMDB's pages may contain earlier contents of memory: it was run with
// glibc and as
//   env -i MALLOC_PERTURB_=255 node dist/tools/make-store-fixture.js
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { openLmdbStore } from '#store-lmdb';
import { fillStore, START } from '../test/data-files/store-format-1.js';

const target = fileURLToPath(new URL('../../test/fixtures/store-format-1/data.mdb.gz', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'store-fixture-'));
try {
  await fillStore(await openLmdbStore({ directory, clock: () => START }));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, gzipSync(readFileSync(join(directory, 'data.mdb')), { level: 9 }), { flag: 'wx' });
} finally {
  rmSync(directory, { recursive: true });
}
