// Every operation that the server counts is shown under its own service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVICES } from '#server/parts';
import { serviceOf } from '../../packages/explorer/model/live.js';

/** Of all services; the first has the plain name. */
const SHARED = new Set(['getServiceStats', 'getServiceProperties', 'setServiceProperties']);

test('operations belong to their services', () => {
  const wrong = SERVICES.flatMap(({ protocol: { name, rights } }) =>
    Object.keys(rights)
      .filter(kind => !SHARED.has(kind) && serviceOf(kind) !== name)
      .map(kind => `${name} ${kind}: ${serviceOf(kind)}`),
  );
  assert.deepEqual(wrong, []);
});
