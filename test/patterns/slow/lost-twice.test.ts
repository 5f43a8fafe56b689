// Writes that lose two of their requests or answers, in every pair of places and ways: the read that settles a lost answer may be lost too.
// `npm run verify patterns` tests a quarter of the pairs, drawn by the seed; PATTERN_FULL tests all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeOf } from '../support/collect.js';
import { FAULTS } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { chanceOf, repeatBy, SEED } from '../support/seeded.js';
import { OPERATIONS, prepared } from '../support/write-operations.js';

/** The second fault is among so many requests behind the first. */
const REACH = 3;

const SHARE = process.env.PATTERN_FULL === undefined ? 0.25 : 1;

describePeers('answers lost twice', peer => {
  // Thousands of cases, in which the server does what it does where one answer is lost.
  if (peer.name !== 'memory') return;
  for (const name of OPERATIONS)
    test(`${name} is done, whichever two requests fail, and however`, async () => {
      const chance = chanceOf(SEED);
      const counting = await prepared(peer, name);
      await counting.act();
      for (let index = 0; index < counting.httpClient.count; index++)
        for (let apart = 1; apart <= REACH; apart++)
          for (const fault of FAULTS)
            for (const second of FAULTS) {
              if (chance() >= SHARE) continue;
              const plan = (at: number) => (at === index ? fault : at === index + apart ? second : undefined);
              const { act, isDone } = await prepared(peer, name, plan);
              const place = `${fault} at ${index}, ${second} at ${index + apart}. ${repeatBy('lost-twice')}`;
              assert.equal(await outcomeOf(act()), 'done', place);
              assert(await isDone(), place);
            }
    });
});
