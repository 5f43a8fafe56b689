// A chart over time: a line for each series, in the colours of the theme. The SVG is stretched, its lines are not.
import type { Point } from '../../model/live.js';

export interface Series {
  readonly label: string;
  /** A variable in tokens.css. */
  readonly color: string;
  readonly take: (point: Point) => number | undefined;
}

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  readonly points: readonly Point[];
}

const [WIDTH, HEIGHT] = [1000, 100];
const GRID = [0, 0.5, 1];

/** The first of 1, 2, 5, 10, 20 … that nothing exceeds. */
function topOf(values: readonly number[]): number {
  const most = Math.max(1, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return power * ([1, 2, 5].find(step => step * power >= most) ?? 10);
}

/** As an SVG path, with a gap where there is no value. */
function lineOf(points: readonly Point[], take: Series['take'], top: number): string {
  const [first = 0, last = 0] = [points[0]?.at, points.at(-1)?.at];
  let isDrawing = false;
  return points
    .map(point => {
      const value = take(point);
      const command = isDrawing ? 'L' : 'M';
      isDrawing = value !== undefined;
      const across = (WIDTH * (point.at - first)) / Math.max(1, last - first);
      return value === undefined ? '' : `${command}${across} ${HEIGHT * (1 - value / top)}`;
    })
    .join('');
}

export function Chart({ title, unit, series, points }: ChartProps) {
  const top = topOf(points.flatMap(point => series.map(({ take }) => take(point) ?? 0)));
  const last = points.at(-1);
  const seconds = Math.round(((last?.at ?? 0) - (points[0]?.at ?? 0)) / 1000);
  const summary = series.map(({ label, take }) => `${label} ${(last && take(last))?.toFixed(1) ?? '–'}`);
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
      <div class="plot" role="img" aria-label={`${title}, in ${unit}. Now: ${summary.join(', ')}`}>
        <div class="scale">
          {GRID.map(share => (
            <span key={share}>{(top * (1 - share)).toLocaleString('en-US')}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {GRID.map(share => (
            <path key={share} class="grid-line" d={`M0 ${HEIGHT * share}H${WIDTH}`} />
          ))}
          {series.map(({ label, color, take }) => (
            <path key={label} d={lineOf(points, take, top)} style={{ stroke: `var(${color})` }} />
          ))}
        </svg>
        <span>{seconds} s ago</span>
        <span class="right">now</span>
      </div>
    </figure>
  );
}
