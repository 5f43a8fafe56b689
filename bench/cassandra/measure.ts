// Requests to a server on a cluster.
import { create, type Endpoint } from '../load/request.js';
import { createTable } from '../load/requests.js';
import { type Line, median } from '../report.js';
import type { Sample } from '../subjects/subject.js';
import { Cluster, type ClusterOptions, patiently, type Say } from './cluster.js';
import { fillTable, requestWork } from './http.js';
import { measureQueues } from './queue-depths.js';
import { type RateWork, shapeOf, type Work } from './works.js';

/** A server first has to compile its code. */
const WARM_UP_SECONDS = 5;
/** Azure's target for a partition, entities a second. */
const HOT_MIN = 2000;

let tables = 0;

async function newTable(at: Endpoint): Promise<string> {
  const name = `table${++tables}`;
  await create(at, createTable(at, name));
  return name;
}

async function measureWork(
  cluster: Cluster,
  work: RateWork,
  { rows, runs, seconds }: ClusterOptions,
  say: Say,
): Promise<Line> {
  const shape = shapeOf(work, rows);
  const at = await cluster.endpoint('table');
  const fill = async (): Promise<string> => {
    const name = await newTable(at);
    await fillTable(at, name, shape, rows);
    say(`${work}: filled`);
    return name;
  };
  const filled = shape.kind === 'write' ? undefined : await patiently(`${work}, filling`, say, fill);
  const samples: Sample[] = [];
  // The time of a scan grows with its partitions, to minutes: it is not warmed up.
  for (let number = shape.kind === 'scan' ? 1 : 0; number <= runs; number++) {
    const what = `${work}, run ${number}`;
    const time = number === 0 ? WARM_UP_SECONDS : seconds;
    // Writes go to a new table, which has no rows of earlier runs and attempts.
    const run = async () => requestWork(at, filled ?? (await newTable(at)), shape, rows, time);
    const sample = await patiently(what, say, run);
    if (number === 0) continue;
    samples.push(sample);
    say(`${what}: ${Math.round(sample.perSecond)} rows a second`);
  }
  const value = median(samples.map(({ perSecond }) => perSecond));
  const others = work === 'inserts' ? [{ name: 'http', value, least: HOT_MIN }] : [];
  return { workload: work, unit: 'rows/s', samples: new Map([['http', samples]]), others };
}

export async function measureCassandra(
  options: ClusterOptions,
  works: readonly Work[],
  say: Say,
): Promise<readonly Line[]> {
  const cluster = await Cluster.open();
  try {
    const lines: Line[] = [];
    for (const work of works)
      if (work === 'queue') lines.push(...(await measureQueues(cluster, options, say)));
      else lines.push(await measureWork(cluster, work, options, say));
    return lines;
  } finally {
    await cluster.close();
  }
}
