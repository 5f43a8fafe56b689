// A chart over time by uPlot, in the colours of the theme.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Point } from '../../model/live.js';
import { theme } from '../state/theme.js';

export interface Series {
  readonly label: string;
  /** Of a variable in tokens.css. */
  readonly color: string;
  readonly take: (point: Point) => number | undefined;
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  readonly points: readonly Point[];
}

const HEIGHT = 180;

/** What a variable means in the theme that is shown. */
function colorOf(within: HTMLElement, name: string): string {
  within.style.color = `var(${name})`;
  const { color } = getComputedStyle(within);
  within.style.color = '';
  return color;
}

function dataOf(points: readonly Point[], series: readonly Series[]): uPlot.AlignedData {
  const now = points.at(-1)?.at ?? 0;
  return [
    points.map(({ at }) => (at - now) / 1000),
    ...series.map(({ take }) => points.map(point => take(point) ?? null)),
  ] as uPlot.AlignedData;
}

const agoOf = (seconds: number): string => (seconds === 0 ? 'now' : `${Math.round(-seconds)} s ago`);

function open(within: HTMLElement, series: readonly Series[], data: uPlot.AlignedData): uPlot {
  const [line, soft] = [colorOf(within, '--line'), colorOf(within, '--text-soft')];
  const axis = {
    stroke: soft,
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    font: '12px Inter, sans-serif',
  };
  const options: uPlot.Options = {
    width: within.clientWidth,
    height: HEIGHT,
    scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      { ...axis, size: 28, values: (_, splits) => splits.map(agoOf) },
      { ...axis, size: 56 },
    ],
    legend: { show: false },
    cursor: { show: false },
    series: [
      {},
      ...series.map(({ label, color }) => ({
        label,
        stroke: colorOf(within, color),
        width: 2,
        points: { show: false },
      })),
    ],
  };
  return new uPlot(options, data, within);
}

export function Chart({ title, unit, series, points }: ChartProps) {
  const within = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const chosen = theme.value;
  useEffect(() => {
    const element = within.current;
    if (element === null) return undefined;
    const draw = (): void => {
      chart.current?.destroy();
      chart.current = open(element, series, dataOf(points, series));
    };
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const sizes = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    sizes.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      dark.removeEventListener('change', draw);
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [chosen]);
  useEffect(() => chart.current?.setData(dataOf(points, series)), [points]);
  const last = points.at(-1);
  const summary = series
    .map(({ label, take }) => `${label} ${last === undefined ? '–' : (take(last)?.toFixed(1) ?? '–')}`)
    .join(', ');
  return (
    <figure class="chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ label, color }) => (
            <li key={label}>
              <span class="swatch" style={{ background: `var(${color})` }} />
              {label}
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={within} role="img" aria-label={`${title}, in ${unit}. Now: ${summary}`} />
    </figure>
  );
}
