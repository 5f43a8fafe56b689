// Merge against replace: what happens to the properties that an update does not name.
import assert from 'node:assert/strict';
import type { UpdateMode } from '@azure/data-tables';
import type { Stage } from '../stage/stage.js';
import { ownProperties } from './answer.js';

const KEYS = { partitionKey: 'WA', rowKey: 'SEA' };

interface Airport {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly [property: string]: unknown;
}

const names = (properties: object): string =>
  Object.keys(properties)
    .filter(property => !(property in KEYS))
    .sort()
    .join(', ');

/** Updates the airport, prints the exchange and the airport's properties afterwards. */
async function update(stage: Stage, entity: Airport, mode: UpdateMode): Promise<Record<string, unknown>> {
  const { report, log, airports } = stage;
  log.take();
  await airports.client.updateEntity(entity, mode);
  const exchanges = log.take();
  report.fact('call', `airports.updateEntity({ keys, ${names(entity)} }, '${mode}')`);
  for (const exchange of exchanges) report.sent(exchange);
  report.served(exchanges, 'written');
  const after = ownProperties(await airports.client.getEntity(KEYS.partitionKey, KEYS.rowKey));
  report.fact('holds now', names(after));
  return after;
}

export async function mergeReplace(stage: Stage): Promise<void> {
  const { report, airports } = stage;
  report.chapter('Merge against replace', 'what an update leaves of the properties it does not name');
  const before = ownProperties(await airports.client.getEntity(KEYS.partitionKey, KEYS.rowKey));
  report.fact('story', 'The airport SEA gets its elevation, once in each way.');
  report.fact('holds', names(before));
  const elevation = { elevationFeet: 433 };

  const merged = await update(stage, { ...KEYS, ...elevation }, 'Merge');
  assert.deepEqual(merged, { ...before, ...elevation });
  const replaced = await update(stage, { ...KEYS, ...elevation }, 'Replace');
  assert.deepEqual(replaced, { ...KEYS, ...elevation });
  // Restores the airport for the next chapters.
  const restored = await update(stage, { ...KEYS, ...merged }, 'Replace');
  assert.deepEqual(restored, merged);
}
