// Makes the folder of Azurite's that the tests import, and what Azurite answered of it. After `node dist/test/patterns/install-azurite.js`:
//
//   node dist/test/data-tools/azurite-import/make-folder.js
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../../support/spawned-server.js';
import { accountAnswers } from './account-answers.js';
import { fillAccount } from './fill-account.js';
import { withAzurite } from './run-azurite.js';

const HERE = join(ROOT, 'test', 'data-tools', 'azurite-import');
const folder = join(HERE, 'folder');
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
const own = await mkdtemp(join(tmpdir(), 'shelfmark-fill-'));
const answers = await withAzurite(folder, async connectionString => {
  await fillAccount(connectionString, own);
  // A message that lives for a second is gone.
  await setTimeout(1500);
  return accountAnswers(connectionString);
});
await writeFile(join(HERE, 'answers.json'), `${JSON.stringify(answers, undefined, 1)}\n`);
await rm(own, { recursive: true });
// Removes the folder's path from the files.
for (const name of await readdir(folder)) {
  if (!name.endsWith('.json')) continue;
  const path = join(folder, name);
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(folder, '/azurite'));
}
