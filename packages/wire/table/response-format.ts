// Parses the caller's format of the answer: metadata level, projection, and whether writes return content (protocol: requests#headers,
// json#choosing-the-format, queries#projection).

import { memo } from '#base';
import { TableError } from '#tables';

export type MetadataLevel = 'nometadata' | 'minimalmetadata' | 'fullmetadata';

export interface ResponseFormat {
  readonly level: MetadataLevel;
  /** The names asked for, as they were written; undefined for all, also where the option is empty. */
  readonly select: readonly string[] | undefined;
  /** The text after the table in `odata.metadata`: empty, or `&$select=` and the names. */
  readonly selectSuffix: string;
  readonly prefer: 'return-content' | 'return-no-content' | undefined;
}

/** Azure's maximum (protocol: queries#projection). */
const SELECT_NAMES_MAX = 255;
/** Clients send few different Accept headers. */
const TYPES_KEPT = { entriesMax: 100, lengthMax: 200 };
const LEVEL = /odata\s*=\s*"?(\w+)/i;
const LEVELS: ReadonlyMap<string, MetadataLevel> = new Map([
  ['nometadata', 'nometadata'],
  ['minimalmetadata', 'minimalmetadata'],
  ['fullmetadata', 'fullmetadata'],
]);

const levelOf = (type: string): MetadataLevel =>
  LEVELS.get(LEVEL.exec(type)?.[1]?.toLowerCase() ?? '') ?? 'minimalmetadata';

/** The first supported type; Atom alone is refused. */
const parseLevel = memo((wanted: string): MetadataLevel => {
  if (wanted === '') return 'minimalmetadata';
  for (const type of wanted.split(',')) {
    const name = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (name === 'application/json' || name === 'json') return levelOf(type);
    if (name === '*/*' || name === 'application/*') return 'minimalmetadata';
  }
  if (/atom|xml/i.test(wanted)) throw new TableError('AtomFormatNotSupported');
  throw new TableError('MediaTypeNotSupported');
}, TYPES_KEPT);

function parseSelect(text: string): Pick<ResponseFormat, 'select' | 'selectSuffix'> {
  const names = text.split(',').map(name => name.trim());
  if (names.length > SELECT_NAMES_MAX) throw new TableError('InvalidInput');
  const selectSuffix = `&$select=${names.join(',')}`;
  const all = text.trim() === '' || names.includes('*');
  return { select: all ? undefined : names.filter(name => name !== ''), selectSuffix };
}

/** What of a request, or of a part of a batch, tells the form of its answer. */
interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

type Query = ReadonlyMap<string, string>;

function parsePrefer({ method, headers }: Asked): ResponseFormat['prefer'] {
  const prefer = method === 'POST' ? headers.prefer?.trim().toLowerCase() : undefined;
  return prefer === 'return-content' || prefer === 'return-no-content' ? prefer : undefined;
}

const plain = (level: MetadataLevel): ResponseFormat => ({
  level,
  select: undefined,
  selectSuffix: '',
  prefer: undefined,
});
/** The usual case: a level without projection. */
const PLAIN: Readonly<Record<MetadataLevel, ResponseFormat>> = {
  nometadata: plain('nometadata'),
  minimalmetadata: plain('minimalmetadata'),
  fullmetadata: plain('fullmetadata'),
};

/** @throws TableError for a format that is not served. */
export function parseResponseFormat(asked: Asked, query: Query): ResponseFormat {
  const level = parseLevel(query.get('$format') || asked.headers.accept || '');
  const select = query.get('$select');
  const prefer = parsePrefer(asked);
  if (select !== undefined) return { level, ...parseSelect(select), prefer };
  return prefer === undefined ? PLAIN[level] : { level, select, selectSuffix: '', prefer };
}

/** The $format in a target that may be malformed otherwise. */
const FORMAT_OPTION = /[?&](?:\$|%24)format=([^&]*)/;

/** For errors before the format is known: the format as far as it can be read. */
export function lenientFormat(asked: Asked, target: string): ResponseFormat {
  const format = FORMAT_OPTION.exec(target)?.[1]?.replaceAll(/%3d/gi, '=');
  return {
    level: levelOf(format || asked.headers.accept || ''),
    select: undefined,
    selectSuffix: '',
    prefer: parsePrefer(asked),
  };
}
