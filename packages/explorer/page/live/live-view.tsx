// Live figures of the server: what it does now, and over the last five minutes.
import { groupDigits } from '../../model/cell.js';
import { type Figures, type Point, pointBetween, type Reading, readingOf } from '../../model/live.js';
import { fetchValue } from '../client/session.js';
import { Fault } from '../shell/blank.js';
import { useLoaded } from '../state/loaded.js';
import { Chart, type Series } from './chart.js';

const PERIOD_MILLISECONDS = 1_000;
const POINTS_MAX = 300;
const NO_POINTS: readonly Point[] = [];

const OPERATIONS: readonly Series[] = [
  { label: 'Tables', color: '--accent', take: ({ perSecond }) => perSecond.table },
  { label: 'Queues', color: '--series-2', take: ({ perSecond }) => perSecond.queue },
  { label: 'Blobs', color: '--series-3', take: ({ perSecond }) => perSecond.blob },
];
const TIMES: readonly Series[] = [
  { label: 'Median', color: '--accent', take: ({ p50 }) => p50 },
  { label: '99 of 100', color: '--series-2', take: ({ p99 }) => p99 },
];
const FAILURES: readonly Series[] = [
  { label: 'Refused (4xx)', color: '--series-2', take: ({ perSecond }) => perSecond.refusals },
  { label: 'Failed (5xx)', color: '--danger', take: ({ perSecond }) => perSecond.errors },
];

const rateText = (value: number | undefined): string =>
  value === undefined ? '–' : groupDigits(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
const timeText = (value: number | undefined): string =>
  value === undefined ? '–' : `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;

const Tile = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <div class="tile">
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
);

function Tiles({ last, connections }: { readonly last: Point | undefined; readonly connections: number }) {
  const { table = 0, queue = 0, blob = 0, errors, commits } = last?.perSecond ?? {};
  const all = last && table + queue + blob;
  return (
    <dl class="tiles">
      <Tile label="Operations a second" value={rateText(all)} />
      <Tile label="Median" value={timeText(last?.p50)} />
      <Tile label="99 of 100 within" value={timeText(last?.p99)} />
      <Tile label="Failed a second" value={rateText(errors)} />
      <Tile label="Commits a second" value={rateText(commits)} />
      <Tile label="Connections" value={groupDigits(connections)} />
    </dl>
  );
}

const CHARTS: readonly (readonly [title: string, unit: string, series: readonly Series[]])[] = [
  ['Operations', 'operations a second', OPERATIONS],
  ['Time to answer', 'milliseconds', TIMES],
  ['Refusals and failures', 'answers a second', FAILURES],
];

interface Shown {
  readonly reading: Reading;
  readonly points: readonly Point[];
}

/** Reads the server's counters, and keeps the last five minutes. */
async function readFigures(signal: AbortSignal, last: () => Shown | undefined): Promise<Shown> {
  const from = last();
  const reading = readingOf(await fetchValue<Figures>('/live', { signal }), performance.now());
  const point = from && pointBetween(from.reading, reading);
  const points = from?.points ?? [];
  return { reading, points: point === undefined ? points : [...points.slice(1 - POINTS_MAX), point] };
}

export function LiveView() {
  const { value, failure } = useLoaded(readFigures, [], PERIOD_MILLISECONDS).state.value;
  const points = value?.points ?? NO_POINTS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a view that scrolls must be reachable by keys.
    <section class="view scrolling" aria-label="Live figures" tabIndex={0}>
      <header class="bar">
        <h1>Live figures</h1>
        <Fault text={failure} />
      </header>
      <div class="live">
        <Tiles last={points.at(-1)} connections={value?.reading.connections ?? 0} />
        {CHARTS.map(([title, unit, series]) => (
          <Chart key={title} {...{ title, unit, series, points }} />
        ))}
        <p class="hint">
          Of all accounts and processes of this server, this page’s own requests among them. A time is between
          the bounds of its bucket.
        </p>
      </div>
    </section>
  );
}
