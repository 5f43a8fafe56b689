// The eight types of a stored property. wire-property.ts and typed-value.ts know their other texts.

/** The types of the service. */
export type EdmType = 'String' | 'Int32' | 'Int64' | 'Double' | 'Boolean' | 'DateTime' | 'Guid' | 'Binary';

export const INT32_MIN = -(2 ** 31);
export const INT32_MAX = 2 ** 31 - 1;
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** Of a Guid as this library gives it: lower case, with hyphens. */
export const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** `3.0`, `3.5`, `1e+300`, `"NaN"`: the text of a Double always shows that it is one, for the service takes a number without a point for an Int32. */
export function doubleLiteral(value: number): string {
  if (!Number.isFinite(value)) return `"${value}"`;
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
