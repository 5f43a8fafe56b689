// A folder freshly written by the installed version of Azurite: after the import Shelfmark answers what Azurite
// answered, and `diff` finds nothing.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { serve } from 'shelfmark';
import { azuriteVersion } from '../../../bench/subjects/azurite.js';
import {
  diff,
  Endpoint,
  importAzurite,
  parseAddress,
  TableRows,
} from '../../../packages/data-tools/index.js';
import { accountAnswers } from '../azurite-import/account-answers.js';
import { fillAccount } from '../azurite-import/fill-account.js';
import { withAzurite } from '../azurite-import/run-azurite.js';
import { dumpIn, dumpTo, runTool } from '../tool-run.js';

const skip = azuriteVersion() === undefined && 'Azurite is not installed.';

describe('Azurite’s own folder', { skip }, () => {
  test('has what Azurite answered', async t => {
    const directory = await mkdtemp(join(tmpdir(), 'shelfmark-azurite-'));
    t.after(() => rm(directory, { recursive: true }));
    const [folder, dumped] = [join(directory, 'folder'), join(directory, 'dump')];
    await mkdir(folder);
    const answers = await withAzurite(folder, async connectionString => {
      await fillAccount(connectionString, directory);
      await setTimeout(1500);
      await dumpTo(connectionString, dumped, { choice: { all: true, names: [] } });
      return accountAnswers(connectionString);
    });
    const server = await serve({ data: undefined });
    t.after(() => server.close());
    const target = parseAddress(server.connectionString());
    const { result } = await runTool(context => importAzurite({ target, input: folder, names: [] }, context));
    assert.equal(result.exit, 'done');
    assert.deepEqual(await accountAnswers(server.connectionString()), answers);
    const from = await dumpIn(dumped);
    const compared = await runTool(context =>
      diff(
        {
          from,
          to: new TableRows(new Endpoint(target, 'table', context.source)),
          choice: { all: true, names: [] },
        },
        context,
      ),
    );
    assert.equal(compared.written, '');
  });
});
