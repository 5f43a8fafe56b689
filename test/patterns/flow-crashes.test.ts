// Flows through the crash matrix: wherever a program ends or stalls, what a row says and what was derived from it agree when the queue is empty, and a row on its way into the archive is somewhere
// at every moment. Flows that have a known fault fail there, which shows that the matrix can.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '#patterns';
import { Flow, type Move, move } from '#patterns/flows';
import { onlyIn } from '../support/at-length.js';
import { casesHere, casesWith, runMatrix } from './crash-matrix.js';
import { anna, Employee } from './employee.js';
import { annaKey, copied, copyInto, moved, poisoned } from './flow-scenarios.js';
import { describePeers } from './peers.js';

describePeers('crashes', peer => {
  const skip = peer.name === 'memory' ? onlyIn('test:patterns') : 'one server shows that the matrix can fail';

  test('leave a copy equal to its row', { skip: onlyIn('test:patterns') }, async () => {
    assert((await runMatrix(peer, copied(), casesHere)) > 15);
  });

  test('leave a row that is moved in one place, as it was last', async () => {
    assert((await runMatrix(peer, moved(), casesHere)) > 8);
  });

  test('put a message aside that cannot be done', { skip: onlyIn('test:patterns') }, async () => {
    assert((await runMatrix(peer, poisoned(), casesHere)) > 5);
  });

  test('are seen to break a copy whose step does not look again', { skip }, async () => {
    const once = copied((table, other) => ({
      name: 'copy once',
      run: async (_, { db }) => copyInto(other)(db, await db.repo(Employee, { table }).get(annaKey)),
    }));
    await assert.rejects(runMatrix(peer, once, casesWith('lags')), /not what the row says/);
  });

  test('are seen to break a copy that is announced after its write', { skip }, async () => {
    const late = copied();
    const run: typeof late.run = async ({ flow: copies, table }, { db }) => {
      await db.repo(Employee, { table }).create(anna);
      await copies.start(db, annaKey);
    };
    const alone = { ...late, run, meanwhile: async () => {} };
    await assert.rejects(runMatrix(peer, alone, casesWith('dies after')), /not what the row says/);
  });

  test('are seen to break an archive that deletes whatever is there', { skip }, async () => {
    const guide = moved((table, other) => name => {
      const careful = move(name, { from: Employee, to: Employee, fromTable: table, toTable: other });
      const definition = careful.flow.definition;
      const run = async (_: unknown, { db }: { readonly db: Db }): Promise<void> => {
        const rows = db.repo(Employee, { table });
        const row = await rows.get(annaKey);
        if (row === undefined) return;
        await db.repo(Employee, { table: other }).upsert(row.value);
        await rows.deleteIfExists({ key: annaKey, etag: '*' });
      };
      const naive = new Flow({ ...definition, steps: [{ name: 'move', run }] });
      const get = careful.get.bind(careful);
      const start = careful.start.bind(careful);
      return { flow: naive, get, start } as unknown as Move<typeof Employee, typeof Employee>;
    });
    await assert.rejects(runMatrix(peer, guide, casesWith('lags')), /views|last version is lost|neither/);
  });
});
