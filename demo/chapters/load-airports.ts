// The airports' chapter: the choice of keys, and the load.
import { UNKNOWN_STATE } from '../data/airports.js';
import { partitionSizes } from '../data/dataset.js';
import { count } from '../stage/report.js';
import type { Stage } from '../stage/stage.js';
import { load } from './load.js';

export async function loadAirports(stage: Stage): Promise<void> {
  const { report, airports } = stage;
  const { entities } = airports.dataset;
  const sizes = partitionSizes(airports.dataset);
  const [largest = '', amount = 0] = [...sizes].reduce((a, b) => (b[1] > a[1] ? b : a));
  const abroad = entities.filter(({ country }) => country !== 'USA').length;

  report.chapter('Load the airports', `${count(entities.length, 'row')} of vega-datasets/data/airports.csv`);
  report.fact(
    'PartitionKey',
    `The state. Most questions about airports name one, and none is large (${largest} has ${amount}). Rows of one state can be written 100 at a time, in one transaction.`,
  );
  report.fact('RowKey', 'The IATA code: unique in the file, and what people call an airport.');
  report.fact('Types', 'Double: latitude, longitude. String: name, city, country.');
  report.fact(
    'Missing',
    `${sizes.get(UNKNOWN_STATE) ?? 0} airports have NA for city and state. They get no city, and the partition '${UNKNOWN_STATE}'; ${abroad} of them are abroad.`,
  );
  await load(stage, airports);
}
