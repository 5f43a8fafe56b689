// A query as text to take away: its URL, `curl`, code of the JavaScript client, code of shelfmark-patterns.
import { explainFilter, type FilterPlan } from '#patterns/filters';
import { type Column, isKey, TIMESTAMP } from './columns.js';

export interface ShownQuery {
  readonly endpoint: string;
  readonly table: string;
  readonly filter: string;
  /** Undefined for all properties. */
  readonly select: readonly string[] | undefined;
  readonly columns: readonly Column[];
}

/** The address of the query, without any credentials. */
export function urlOf({ endpoint, table, filter, select }: ShownQuery): string {
  const parameters = [
    ...(filter === '' ? [] : [`$filter=${encodeURIComponent(filter)}`]),
    ...(select === undefined ? [] : [`$select=${select.map(encodeURIComponent).join(',')}`]),
  ];
  return `${endpoint}/${table}()${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
}

/** With a SAS in the environment, so that no secret is in a shell's history. */
export function curlOf(query: ShownQuery): string {
  const url = urlOf(query);
  // In single quotes nothing is special to a shell except the quote.
  const quoted = url.replaceAll("'", "'\\''");
  return [
    '# TABLE_SAS: a shared access signature of the table, as sv=…&tn=…&sig=…',
    `curl '${quoted}${url.includes('?') ? '&' : '?'}'"$TABLE_SAS" \\`,
    "  --header 'Accept: application/json;odata=minimalmetadata' \\",
    "  --header 'x-ms-version: 2019-02-02'",
  ].join('\n');
}

const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** The keys of a point query; undefined for any other. */
function pointOf(filter: string): { readonly partitionKey: string; readonly rowKey: string } | undefined {
  if (filter === '') return undefined;
  const plan = explainFilter(filter);
  return plan.class === 'point' && !plan.isFiltered ? plan.points[0] : undefined;
}

export function clientCodeOf({ endpoint, table, filter, select }: ShownQuery): string {
  const point = pointOf(filter);
  const options = [
    ...(filter === '' || point !== undefined ? [] : [`filter: ${JSON.stringify(filter)}`]),
    ...(select === undefined ? [] : [`select: [${select.map(literal).join(', ')}]`]),
  ].join(', ');
  const insecure = endpoint.startsWith('http:') ? ', {\n  allowInsecureConnection: true,\n}' : '';
  const opening = [
    "import { TableClient } from '@azure/data-tables';",
    '',
    `const client = TableClient.fromConnectionString(process.env.CONNECTION_STRING, ${literal(table)}${insecure});`,
  ];
  if (point !== undefined) {
    const keys = `${literal(point.partitionKey)}, ${literal(point.rowKey)}`;
    const more = options === '' ? '' : `, { queryOptions: { ${options} } }`;
    return [...opening, `const entity = await client.getEntity(${keys}${more});`].join('\n');
  }
  const argument = options === '' ? '' : `{\n  queryOptions: { ${options} },\n}`;
  return [
    ...opening,
    `for await (const entity of client.listEntities(${argument})) console.log(entity);`,
  ].join('\n');
}

type Condition = FilterPlan['condition'];
type TypedLiteral = Extract<Condition, { readonly kind: 'value' }>['typed'];

class NotExpressible extends Error {}

function valueCode({ type, value }: TypedLiteral): string {
  switch (type) {
    case 'String':
    case 'Guid':
      return literal(String(value));
    case 'Int64':
      return `${value}n`;
    case 'DateTime':
      return `Instant.parse('${value}')`;
    case 'Binary':
      return `new Uint8Array([${value instanceof Uint8Array ? [...value].join(', ') : ''}])`;
    default:
      return String(value);
  }
}

const access = (name: string): string => `row.${name}`;

function conditionCode(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const [first = '', ...others] = condition.terms.map(conditionCode);
      return others.reduce((code, term) => `${code}.${condition.kind}(${term})`, first);
    }
    case 'not':
      return `${conditionCode(condition.term)}.not()`;
    case 'compare': {
      const { left, right, operator } = condition;
      if (left.kind !== 'property' || right.kind !== 'value' || isKey(left.name) || left.name === TIMESTAMP)
        throw new NotExpressible();
      return `${access(left.name)}.${operator}(${valueCode(right.typed)})`;
    }
    case 'property':
      return `${access(condition.name)}.eq(true)`;
    default:
      throw new NotExpressible();
  }
}

/** A comparison of a key with a text. */
function keyIn(
  term: Condition,
): { readonly name: string; readonly operator: string; readonly text: string } | undefined {
  if (term.kind !== 'compare' || term.left.kind !== 'property' || term.right.kind !== 'value')
    return undefined;
  const { type, value } = term.right.typed;
  const { name } = term.left;
  return isKey(name) && type === 'String'
    ? { name, operator: term.operator, text: literal(String(value)) }
    : undefined;
}

const DEFINITIONS: Readonly<Record<Column['type'], string>> = {
  String: 't.string()',
  Boolean: 't.bool()',
  Int32: 't.int32()',
  Int64: 't.int64()',
  Double: 't.double()',
  DateTime: 't.instant()',
  Guid: 't.guid()',
  Binary: 't.bytes()',
};
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const PARTITION = 'partitionKeyText';
const ROW = 'rowKeyText';

/** The query's chain of calls; the last one reads ten rows. */
function callsOf(filter: string): string {
  const condition = filter === '' ? undefined : explainFilter(filter).condition;
  const terms = condition === undefined ? [] : condition.kind === 'and' ? condition.terms : [condition];
  const equal: { PartitionKey?: string; RowKey?: string } = {};
  const bounds: string[] = [];
  let where = '';
  for (const term of terms) {
    const { name, operator, text = '' } = keyIn(term) ?? {};
    if ((name === 'PartitionKey' || name === 'RowKey') && operator === 'eq' && equal[name] === undefined)
      equal[name] = text;
    else if (name === 'RowKey' && operator !== 'eq' && operator !== 'ne') bounds.push(`${operator}: ${text}`);
    else where += `\n  .where(row => ${conditionCode(term)})`;
  }
  const { PartitionKey: partition, RowKey: row } = equal;
  const isRange = bounds.length > 0;
  if (partition === undefined ? row !== undefined || isRange : row !== undefined && (isRange || where !== ''))
    throw new NotExpressible();
  if (partition === undefined)
    return `rows\n  .scan()${where}\n  .allowScan('why this may read the whole table')\n  .take(10)`;
  const within = `rows\n  .partition({ ${PARTITION}: ${partition} })`;
  if (row !== undefined) return `${within}\n  .row({ ${ROW}: ${row} })\n  .take(1)`;
  const range = !isRange ? '' : `\n  .rows({}, { ${ROW}: { ${bounds.join(', ')} } })`;
  return `${within}${range}${where}\n  .take(10)`;
}

/** Code of the pattern library; undefined for filters that it does not express. */
export function patternsCodeOf({ endpoint, table, filter, columns }: ShownQuery): string | undefined {
  try {
    const calls = callsOf(filter);
    const properties = columns.filter(
      ({ name }) => !isKey(name) && name !== TIMESTAMP && IDENTIFIER.test(name),
    );
    const definitions = properties.map(({ name, type }) => `    ${name}: ${DEFINITIONS[type]}.optional(),`);
    const imports = calls.includes('Instant.') ? 'entity, Instant, key, open, t' : 'entity, key, open, t';
    const insecure = endpoint.startsWith('http:') ? ', {\n  allowInsecureConnection: true,\n}' : '';
    return [
      "import { TableServiceClient } from '@azure/data-tables';",
      `import { ${imports} } from 'shelfmark-patterns';`,
      '',
      `const Row = entity(${literal(table)}, {`,
      '  version: 1,',
      `  table: ${literal(table)},`,
      '  tag: false,',
      '  props: {',
      `    ${PARTITION}: t.string(),`,
      `    ${ROW}: t.string(),`,
      ...definitions,
      '  },',
      `  partition: row => key(row.${PARTITION}),`,
      `  row: row => key(row.${ROW}),`,
      '});',
      '',
      `const tables = TableServiceClient.fromConnectionString(process.env.CONNECTION_STRING${insecure});`,
      'const rows = open({ tables }).repo(Row);',
      `const found = await ${calls};`,
    ].join('\n');
  } catch (error) {
    if (error instanceof NotExpressible) return undefined;
    throw error;
  }
}
