// Metrics from counting to text: which metrics there are, how those of several processes are merged, and how Prometheus
// reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '#base';
import { QUEUE_SERVICE } from '../services/queue/queue-service.js';
import { SERVICES } from '../services/registry.js';
import { TABLE_SERVICE } from '../services/table/table-service.js';
import {
  counter,
  formatMetrics,
  gauge,
  histogram,
  label,
  lastingMetrics,
  type MetricFamily,
  mergeMetrics,
} from './metric-family.js';
import { RequestMetrics } from './request-metrics.js';

const numberOf = (families: readonly MetricFamily[], line: string): number | undefined => {
  const found = formatMetrics(families)
    .split('\n')
    .find(each => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};

function sample(): Histogram {
  const times = new Histogram([0.1, 1]);
  for (const time of [0.05, 0.5, 0.5, 5]) times.add(time);
  return times;
}

test('the text, to the letter', () => {
  const families = [
    counter('a_total', 'Says \\ and\nmore.', [{ suffix: '', labels: label('code', 'a"b\\c\nd'), value: 2 }]),
    gauge('b', 'B.', 1.5),
    histogram('c_seconds', 'C.', [[label('kind', 'x'), sample().counts()]]),
  ];
  assert.equal(
    formatMetrics(families),
    `# HELP a_total Says \\\\ and\\nmore.
# TYPE a_total counter
a_total{code="a\\"b\\\\c\\nd"} 2
# HELP b B.
# TYPE b gauge
b 1.5
# HELP c_seconds C.
# TYPE c_seconds histogram
c_seconds_bucket{kind="x",le="0.1"} 1
c_seconds_bucket{kind="x",le="1"} 3
c_seconds_bucket{kind="x",le="+Inf"} 4
c_seconds_sum{kind="x"} 6.05
c_seconds_count{kind="x"} 4
`,
  );
});

test('requests by operation and status, their times, and refusals by code', () => {
  const metrics = new RequestMetrics(SERVICES.map(({ protocol }) => protocol));
  const slots = metrics.slotsOf(TABLE_SERVICE) ?? assert.fail();
  metrics.answer(slots.of('getEntity'), 200, 0.2);
  metrics.answer(slots.of('getEntity'), 200, 20_000);
  metrics.answer(slots.of('getEntity'), 404, 1);
  metrics.answer(slots.of(undefined), 400, 1);
  metrics.answer(slots.of('getServiceStats'), 599, 1);
  metrics.refuse('ResourceNotFound');
  metrics.refuse('ResourceNotFound');
  const families = metrics.families();
  const lines: readonly (readonly [string, number | undefined])[] = [
    ['shelfmark_requests_total{operation="getEntity",status="200"}', 2],
    ['shelfmark_requests_total{operation="getEntity",status="404"}', 1],
    ['shelfmark_requests_total{operation="unknown",status="400"}', 1],
    ['shelfmark_requests_total{operation="getServiceStats",status="599"}', 1],
    ['shelfmark_requests_total{operation="insertEntity",status="200"}', undefined],
    ['shelfmark_request_duration_seconds_bucket{operation="getEntity",le="0.0001"}', 0],
    ['shelfmark_request_duration_seconds_bucket{operation="getEntity",le="0.00025"}', 1],
    ['shelfmark_request_duration_seconds_bucket{operation="getEntity",le="10"}', 2],
    ['shelfmark_request_duration_seconds_bucket{operation="getEntity",le="+Inf"}', 3],
    ['shelfmark_request_duration_seconds_count{operation="getEntity"}', 3],
    ['shelfmark_refusals_total{code="ResourceNotFound"}', 2],
  ];
  for (const [line, value] of lines) assert.equal(numberOf(families, line), value, line);
});

test('each kind of operation is exported under the name that it always had', () => {
  const metrics = new RequestMetrics(SERVICES.map(({ protocol }) => protocol));
  for (const service of [TABLE_SERVICE, QUEUE_SERVICE]) {
    const slots = metrics.slotsOf(service) ?? assert.fail();
    for (const kind of [...Object.keys(service.rights), undefined]) metrics.answer(slots.of(kind), 200, 1);
  }
  const [requests] = metrics.families();
  assert.deepEqual(
    requests?.samples.map(({ labels }) => /operation="(\w+)"/.exec(labels)?.[1]),
    [
      ...['insertEntity', 'updateEntity', 'mergeEntity', 'insertOrReplaceEntity', 'insertOrMergeEntity'],
      ...['deleteEntity', 'submitTransaction', 'getEntity', 'queryEntities', 'queryTables', 'createTable'],
      ...['getTable', 'deleteTable', 'getTableAcl', 'setTableAcl', 'getServiceProperties'],
      ...['setServiceProperties', 'getServiceStats', 'unknown', 'listQueues', 'createQueue', 'deleteQueue'],
      ...['getQueueMetadata', 'setQueueMetadata', 'getQueueAcl', 'setQueueAcl', 'putMessage'],
      ...['getMessages', 'peekMessages', 'updateMessage', 'deleteMessage', 'clearMessages'],
      ...['getQueueServiceProperties', 'setQueueServiceProperties', 'getQueueServiceStats'],
      'unknownQueueOperation',
    ],
  );
});

test('metrics of several processes: counts are added, and a shared gauge is reported once', () => {
  const of = (count: number, file: number, start: number): readonly MetricFamily[] => [
    counter('n_total', '', [
      { suffix: '', labels: 'k="both"', value: count },
      { suffix: '', labels: `k="${count}"`, value: count },
    ]),
    gauge('open', '', count),
    gauge('file', '', file, 'max'),
    gauge('start', '', start, 'min'),
    histogram('t', '', [['', sample().counts()]]),
  ];
  const both = mergeMetrics([of(1, 10, 5), of(2, 20, 6), []]);
  const values = [
    'n_total{k="both"}',
    'n_total{k="1"}',
    'n_total{k="2"}',
    'open',
    'file',
    'start',
    't_count',
  ];
  assert.deepEqual(
    values.map(line => numberOf(both, line)),
    [3, 1, 2, 3, 20, 5, 8],
  );
  assert.equal(numberOf(both, 't_bucket{le="1"}'), 6);
  const lasting = lastingMetrics(both);
  assert.deepEqual(
    lasting.map(({ name }) => name),
    ['n_total', 't'],
  );
});
