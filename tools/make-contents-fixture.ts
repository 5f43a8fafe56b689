// Makes test/fixtures/store-contents-2 from test/data-files/stored-steps.ts. It was run once, when the form of contents
// was new, like its predecessor for store-contents-1; a later run would prove nothing. Like make-store-fixture.ts it
// was run with glibc and as
//   env -i MALLOC_PERTURB_=255 node dist/tools/make-contents-fixture.js
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { systemClock } from '#base';
import { BackgroundWork, type BlobContext, execute } from '#blobs';
import { openLmdbStore } from '#store-lmdb';
import { CONTAINER } from '../test/blobs/blob-model.js';
import { operationOf } from '../test/blobs/blob-operation.js';
import { STEPS } from '../test/data-files/stored-steps.js';

const target = fileURLToPath(new URL('../../test/fixtures/store-contents-2/', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'store-fixture-'));
const clock = systemClock;
try {
  const store = await openLmdbStore({ directory, clock });
  const [account, ids, background] = ['account1', randomUUID, new BackgroundWork()];
  const context: BlobContext = { store, content: store.content, account, ids, clock, background };
  await execute(
    { kind: 'createContainer', container: CONTAINER, metadata: [], publicAccess: 'private' },
    context,
  );
  for (const step of STEPS) {
    await execute(operationOf(step), context);
    await background.settled();
  }
  await store.close();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    if (['data.mdb-lock', 'reserve'].includes(name) || statSync(path).isDirectory()) continue;
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, `${name}.gz`), gzipSync(readFileSync(path), { level: 9 }), { flag: 'wx' });
  }
} finally {
  rmSync(directory, { recursive: true });
}
