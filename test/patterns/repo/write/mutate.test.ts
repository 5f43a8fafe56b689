// Changing a row by what is in it: attempts, signals, and functions that change nothing or are not pure. histories.test.ts has many writers and answers that get lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PipelineRequest } from '@azure/core-rest-pipeline';
import { anna, Employee } from '../../support/employee.js';
import { before, FaultyClient } from '../../support/faulty-client.js';
import { describePeers, fresh } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

describePeers('mutate', peer => {
  test('it fails after the greatest number of attempts', async () => {
    const { table, repo: other } = await fresh(peer, Employee);
    await other.create(anna);
    for (const attempts of [1, 2, 8]) {
      const sleeps: number[] = [];
      const sleep = async (milliseconds: number): Promise<void> => void sleeps.push(milliseconds);
      const racing = before('PUT', () => other.merge({ key: anna, etag: '*' }, { score: 1 }), 99);
      const staff = peer.open({ sleep, httpClient: new FaultyClient(racing) }).repo(Employee, { table });
      let called = 0;
      const change = () => {
        called++;
        return { ...anna, note: 'mine' };
      };
      await rejects(staff.mutate(anna, change, { attempts }), 'Contention', { attempts });
      assert.deepEqual([called, sleeps.length], [attempts, attempts - 1]);
      assert(sleeps.every(pause => pause >= 20 && pause <= 1_000));
    }
    for (const attempts of [0, Number.NaN])
      await rejects(
        other.mutate(anna, () => anna, { attempts }),
        'ValueInvalid',
        { property: 'attempts' },
      );
  });

  test('a signal stops it between attempts', async () => {
    const { repo: staff } = await fresh(peer, Employee);
    await staff.create(anna);
    const controller = new AbortController();
    const change = <R extends object>(row: R | undefined) => {
      controller.abort();
      return row && { ...row, score: 1 };
    };
    const mutation = staff.mutate(anna, change, { signal: controller.signal });
    await assert.rejects(mutation, { name: 'AbortError' });
    assert.deepEqual((await staff.get(anna))?.value, anna);
  });

  test('nothing is written where nothing changes', async () => {
    const { repo: staff } = await fresh(peer, Employee);
    assert.equal(await staff.mutate(anna, () => undefined), undefined);
    const stored = await staff.mutate(anna, row => row ?? anna);
    assert.deepEqual(await staff.mutate(anna, row => row), stored);
    assert.deepEqual(await staff.mutate(anna, () => undefined), stored);
  });

  test('a write that arrives behind its refusal is not done again', async () => {
    const { table, repo: other } = await fresh(peer, Employee);
    let late: PipelineRequest | undefined;
    const httpClient = new FaultyClient(async (index, request) => {
      if (index !== 1) return undefined;
      late = request;
      await other.create({ ...anna, score: 100 });
      return 'reset before';
    });
    // Between the two attempts the other row goes, and the first request of the create arrives.
    const sleep = async (): Promise<void> => {
      await other.delete({ key: anna, etag: '*' });
      assert(late);
      await new FaultyClient().sendRequest(late);
    };
    const staff = peer.open({ httpClient, sleep }).repo(Employee, { table });
    await staff.mutate(anna, row => ({ ...anna, score: (row?.score ?? 0) + 1 }));
    assert.equal((await other.get(anna))?.value.score, 1);
  });

  test('a function that is not pure is found where that is asked', async () => {
    const { repo: staff } = await fresh(peer, Employee);
    let n = 0;
    const counts = () => ({ ...anna, score: ++n });
    await rejects(staff.mutate(anna, counts, { checksPurity: true }), 'DefinitionInvalid');
    await staff.mutate(anna, () => ({ ...anna }), { checksPurity: true });
  });
});
