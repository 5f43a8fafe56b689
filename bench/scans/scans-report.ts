// The table of the measurements of scans, each compared with the server's own.
import { formatCount, formatNumber, textTable } from '../text-table.js';
import type { ScanFigure } from './scans.js';

const HEADER = [
  'rows',
  'shape',
  'matching',
  'subject',
  'ms',
  'rows/s',
  'ns a row',
  'longest page ms',
  'shelfmark is',
];
const NANOSECONDS = 1_000_000;

/** By the rows that are examined. A walk without a filter is compared with the scan that no row matches. */
export function scansReport(figures: readonly ScanFigure[]): string {
  const ours = ({ rows, shape, match = 'none' }: ScanFigure): number | undefined =>
    figures.find(
      each =>
        each.subject === 'shelfmark' && each.rows === rows && each.shape === shape && each.match === match,
    )?.milliseconds;
  const lines = figures.map(figure => {
    const { rows, shape, subject, match, milliseconds, longestPage } = figure;
    const own = ours(figure);
    return [
      formatCount(rows),
      shape,
      match ?? '(walk)',
      subject,
      formatNumber(milliseconds),
      formatCount((rows * 1000) / milliseconds),
      formatNumber((milliseconds * NANOSECONDS) / rows),
      longestPage === undefined ? '' : formatNumber(longestPage),
      subject === 'shelfmark' || own === undefined ? '' : `${formatNumber(milliseconds / own)} x`,
    ];
  });
  return textTable([HEADER, ...lines], 4);
}
