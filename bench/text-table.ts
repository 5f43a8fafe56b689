// Text tables in columns. Independent of what the metrics mean.

/** Columns as wide as their widest cell; the first ones to the left, the others to the right. */
export function textTable(lines: readonly (readonly string[])[], leftColumns: number): string {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [column, cell] of line.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return lines
    .map(line =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column < leftColumns ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `1,234,567`. */
export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Three significant digits, or all before the point: `0.123`, `12.3`, `1,235`. */
export const formatNumber = (value: number): string => {
  if (Number.isNaN(value)) return '-';
  return Math.abs(value) < 1000
    ? value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
    : formatCount(value);
};
