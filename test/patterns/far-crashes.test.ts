// Indexes elsewhere through the crash matrix: wherever a program or a worker ends or stalls, the index rows are what the rows say when the queue is empty.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyIn } from '../support/at-length.js';
import { casesHere, runMatrix } from './crash-matrix.js';
import { indexedElsewhere } from './far-scenarios.js';
import { describePeers } from './peers.js';

describePeers('crashes of writers and workers', peer => {
  test('leave indexes elsewhere equal to their rows', { skip: onlyIn('test:patterns') }, async () => {
    assert((await runMatrix(peer, indexedElsewhere(), casesHere)) > 15);
  });
});
