// The text of a Double, which always shows that it is one: the service takes a number without a point for an Int32.

/** `3.0`, `3.5`, `1e+300`, `"NaN"`. */
export function doubleLiteral(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
