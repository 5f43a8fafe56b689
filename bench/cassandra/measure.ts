// The engine on a cluster, compared with the driver alone executing the same statements, interleaved and on the same tables; then the
// engine behind HTTP.
import { encodeTableMetadata, tableAddress } from '../../packages/tables/table-space.js';
import { filler } from '../load/gaps.js';
import { create } from '../load/request.js';
import { createTable } from '../load/requests.js';
import { loadedEntity } from '../load/rows.js';
import { type Line, median } from '../report.js';
import type { Sample } from '../subjects/subject.js';
import { Cluster, type ClusterOptions } from './cluster.js';
import { runEngine } from './engine.js';
import { fillTable, requestWork } from './http.js';
import { patiently, type Say } from './loop.js';
import { measureQueues } from './queue-depths.js';
import { type RateWork, type Shape, shapeOf, type Work } from './works.js';

/** A server first has to compile its code. */
const WARM_UP_SECONDS = 5;
/** Relative to the driver alone. */
const ENGINE_MIN = 0.8;
/** Azure's target for a partition, entities a second. */
const HOT_HTTP_MIN = 2000;
const VALUE = Buffer.from(filler(loadedEntity('row'), 1)(0));

let tables = 0;
const newName = (): string => `table${++tables}`;

async function createOverHttp(cluster: Cluster): Promise<string> {
  const name = newName();
  const at = await cluster.endpoint('table');
  await create(at, createTable(at, name));
  return name;
}

/** One run. Writes go to a new table, which has no rows of earlier runs and attempts. */
async function run(
  cluster: Cluster,
  subject: string,
  shape: Shape,
  filled: string | undefined,
  { rows, seconds }: ClusterOptions,
): Promise<Sample> {
  if (subject === 'http') {
    const table = filled ?? (await createOverHttp(cluster));
    return requestWork(await cluster.endpoint('table'), table, shape, rows, seconds);
  }
  const engine = await cluster.engine();
  const address = tableAddress(cluster.account, filled ?? newName());
  if (filled === undefined)
    await engine.createSpace(address, encodeTableMetadata({ name: address.name, identifiers: [] }));
  const space = await cluster.space(address);
  const job = { shape, space, rows, value: VALUE, seconds };
  return subject === 'engine' ? runEngine(engine, job) : cluster.driver.run(job);
}

async function measureWork(
  cluster: Cluster,
  work: RateWork,
  options: ClusterOptions,
  say: Say,
): Promise<Line> {
  const shape = shapeOf(work, options.rows);
  const fill = async (): Promise<string> => {
    const name = await createOverHttp(cluster);
    await fillTable(await cluster.endpoint('table'), name, shape, options.rows);
    say(`${work}: filled`);
    return name;
  };
  const filled = shape.kind === 'write' ? undefined : await patiently(`${work}, filling`, say, fill);
  const samples = new Map<string, Sample[]>([
    ['engine', []],
    ['driver', []],
    ['http', []],
  ]);
  // The time of a scan grows with its partitions, to minutes: it is not warmed up.
  const first = shape.kind === 'scan' ? 1 : 0;
  for (const subjects of [['engine', 'driver'], ['http']])
    for (let number = first; number <= options.runs; number++)
      for (const subject of subjects) {
        const what = `${work}, run ${number}, ${subject}`;
        const timing = number === 0 ? { ...options, seconds: WARM_UP_SECONDS } : options;
        const sample = await patiently(what, say, () => run(cluster, subject, shape, filled, timing));
        if (number === 0) continue;
        samples.get(subject)?.push(sample);
        say(`${what}: ${Math.round(sample.perSecond)} rows a second`);
      }
  const http = median(samples.get('http')?.map(({ perSecond }) => perSecond) ?? []);
  const others = work === 'inserts' ? [{ name: 'http', value: http, least: HOT_HTTP_MIN }] : [];
  return { workload: work, unit: 'rows/s', samples, goals: { driver: ENGINE_MIN }, others };
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
