// How a value is shown in one line: exact, but short; what cannot be seen is made visible.
import { type EdmType, type Property, textOf } from '#data-tools/line';

export interface Cell {
  readonly text: string;
  /** What the text stands for: drawn otherwise, and read out. */
  readonly kind: 'value' | 'number' | 'empty' | 'absent' | 'constant';
}

const TEXT_MAX = 300;
const CONTROLS: Readonly<Record<string, string>> = { '\n': '↵', '\r': '␍', '\t': '⇥', '\0': '␀' };
const INVISIBLE =
  /[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const EDGE_SPACE = /^ +| +$/g;

const visible = (text: string): string =>
  text
    .replace(INVISIBLE, unit => CONTROLS[unit] ?? '�')
    .replace(EDGE_SPACE, spaces => '·'.repeat(spaces.length));

export const bytesIn = (base64: string): number =>
  Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** As `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** unit;
  if (unit === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit]}`;
}

const NUMBERS: ReadonlySet<EdmType> = new Set(['Int32', 'Int64', 'Double']);
export const isNumber = (type: EdmType): boolean => NUMBERS.has(type);

export function cellOf(property: Property | undefined): Cell {
  if (property === undefined) return { text: '', kind: 'absent' };
  const text = textOf(property);
  if (text === '') return { text: 'empty', kind: 'empty' };
  const short = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
  if (property.type === 'Binary')
    return { text: `${formatBytes(bytesIn(text))} · ${short}`, kind: 'constant' };
  if (property.type === 'String') return { text: visible(short), kind: 'value' };
  return { text: short, kind: isNumber(property.type) ? 'number' : 'constant' };
}

/** As `2026-01-31 12:00:00Z`. */
export const formatTime = (time: Date): string => `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`;

export const groupDigits = (count: number): string => count.toLocaleString('en-US');
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${groupDigits(count)} ${count === 1 ? one : many}`;
