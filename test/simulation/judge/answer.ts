// Answers as values: parses the answer to a call and fails on forms that no answer may have, whatever the data is: a
// missing header, a body in the wrong order, an error without its form. The judge checks the content.
import { tickOf, ticksOf } from '../../histories/tick.js';
import type { Reply } from '../../support/worker-processes.js';
import { seenContent } from './content.js';
import type { Answer, Call, GetCall, Level, Place, Seen, WritesCall } from './history.js';

/** Of a request, or of a part of a batch. */
type PlainAnswer = Pick<Reply, 'status' | 'headers' | 'body'>;

const STATUSES: Readonly<Record<string, number>> = {
  TableNotFound: 404,
  ResourceNotFound: 404,
  EntityAlreadyExists: 409,
  TableAlreadyExists: 409,
  UpdateConditionNotSatisfied: 412,
  InvalidInput: 400,
  MissingRequiredHeader: 400,
  InvalidDuplicateRow: 400,
  CommandsInBatchActOnDifferentPartitions: 400,
  ServerBusy: 503,
};

/** What most answers lack. */
export const NOTHING: Omit<Answer, 'status'> = {
  code: undefined,
  index: undefined,
  versions: [],
  entities: [],
  next: undefined,
  tables: [],
  nextTable: undefined,
  texts: [],
};

function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

function headerIn({ headers }: PlainAnswer, name: string): string | undefined {
  const value = headers[name];
  return value === undefined ? undefined : String(value);
}

type Members = readonly (readonly [string, unknown])[];

function membersOf(value: unknown): Members {
  expect(typeof value === 'object' && value !== null && !Array.isArray(value), 'There is no object.');
  return Object.entries(value);
}

const memberIn = (members: Members, name: string): unknown => members.find(([held]) => held === name)?.[1];

function listIn(members: Members): readonly unknown[] {
  const value = memberIn(members, 'value');
  expect(Array.isArray(value), 'There is no list in `value`.');
  return value;
}

function textIn(members: Members, name: string): string {
  const value = memberIn(members, name);
  expect(typeof value === 'string', `${name} is missing or no string.`);
  return value;
}

/** Which system properties are present, in which order, and what the metadata level adds. */
function checkShape(members: Members, level: Level, select: readonly string[] | undefined): void {
  const system = ['PartitionKey', 'RowKey', 'Timestamp'].filter(name => select?.includes(name) ?? true);
  const names = members
    .map(([name]) => name)
    .filter(name => !name.startsWith('odata.') && !name.includes('@'));
  expect(
    system.every((name, i) => names[i] === name),
    `The entity begins with ${names.slice(0, 3).join()}.`,
  );
  const control = members
    .map(([name]) => name)
    .filter(name => name.startsWith('odata.') && name !== 'odata.metadata');
  const expected =
    level === 'fullmetadata'
      ? ['odata.type', 'odata.id', 'odata.etag', 'odata.editLink']
      : level === 'minimalmetadata'
        ? ['odata.etag']
        : [];
  expect(control.join() === expected.join(), `The control information is ${control.join()}.`);
}

function seenOf(value: unknown, level: Level, select: readonly string[] | undefined, place?: Place): Seen {
  const members = membersOf(value);
  checkShape(members, level, select);
  const time = memberIn(members, 'Timestamp');
  const etag = memberIn(members, 'odata.etag');
  const versions = [
    ...(typeof time === 'string' ? [ticksOf(time)] : []),
    ...(typeof etag === 'string' ? [tickOf(etag)] : []),
  ];
  expect(new Set(versions).size <= 1, 'Timestamp and ETag differ.');
  const has = (name: string): boolean => select?.includes(name) ?? true;
  return {
    partition: has('PartitionKey') || !place ? textIn(members, 'PartitionKey') : place.partition,
    key: has('RowKey') || !place ? textIn(members, 'RowKey') : place.key,
    version: versions[0],
    content: seenContent(
      members.filter(([name]) => !name.startsWith('odata.')),
      select !== undefined,
    ),
  };
}

function parseJson(body: string): unknown {
  return JSON.parse(body);
}

function requireJson(answer: PlainAnswer, level: Level): Members {
  const type = headerIn(answer, 'content-type') ?? '';
  expect(type.startsWith(`application/json;odata=${level};`), `The type is ${type}.`);
  return membersOf(parseJson(answer.body));
}

function readToken(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, length, encoded] = /^1!(\d+)!(.*)$/.exec(text) ?? [];
  expect(encoded !== undefined && Number(length) === encoded.length, `${text} is no token.`);
  return Buffer.from(encoded.replaceAll('-', '='), 'base64').toString();
}

/** The code, and the index before the text. */
function refusal(answer: PlainAnswer, isXml: boolean): Pick<Answer, 'code' | 'index'> {
  const { body, status } = answer;
  let code: string | undefined;
  let text = '';
  if (isXml) {
    code = /<m:code>(\w+)<\/m:code>/.exec(body)?.[1];
    text = /<m:message xml:lang="en-US">([^<]*)</.exec(body)?.[1] ?? '';
    expect(headerIn(answer, 'x-ms-error-code') === code, 'x-ms-error-code is not the code of the document.');
  } else {
    const error = membersOf(memberIn(membersOf(parseJson(body)), 'odata.error'));
    code = textIn(error, 'code');
    text = textIn(membersOf(memberIn(error, 'message')), 'value');
  }
  expect(/\nRequestId:[\w-]+\nTime:\S+Z$/.test(text), `The error's text is ${text}.`);
  expect(
    code !== undefined && STATUSES[code] === status,
    `${status} ${code} is never answered here: ${text}`,
  );
  const index = /^(\d+):/.exec(text)?.[1];
  return { code, index: index === undefined ? undefined : Number(index) };
}

/** One write's success: the version in its ETag, and the entity if it was returned. */
function writeAnswer(
  call: WritesCall,
  i: number,
  answer: PlainAnswer,
  level: Level,
): Pick<Answer, 'versions' | 'entities'> {
  const { status, body } = answer;
  const write = call.writes[i];
  expect(write !== undefined, 'There are more answers than writes.');
  const etag = headerIn(answer, 'etag');
  if (write.kind === 'delete') {
    expect(status === 204 && etag === undefined && body === '', 'A delete answers 204 without an ETag.');
    return { versions: [undefined], entities: [] };
  }
  expect(etag !== undefined, 'A write answers with an ETag.');
  const version = tickOf(etag);
  if (write.kind !== 'insert') {
    expect(status === 204 && body === '', `A write other than an insert answers 204, not ${status}.`);
    return { versions: [version], entities: [] };
  }
  expect(
    headerIn(answer, 'preference-applied') === call.prefer,
    'Preference-Applied is not what was preferred.',
  );
  expect(headerIn(answer, 'location') !== undefined, 'There is no Location.');
  if (call.prefer === 'return-no-content') {
    expect(status === 204 && body === '', `The preference was no content, the status is ${status}.`);
    return { versions: [version], entities: [] };
  }
  expect(status === 201, `An insert answers 201, not ${status}.`);
  const seen = seenOf(Object.fromEntries(requireJson(answer, level)), level, undefined);
  expect(seen.version === version, 'The ETag of the header is not the body’s time.');
  return { versions: [version], entities: [seen] };
}

function partsOf(body: string): PlainAnswer[] {
  return [
    ...body.matchAll(
      /HTTP\/1\.1 (\d{3}) [^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*?)\r\n--(?:batch|changeset)response_/g,
    ),
  ].map(([, status, head = '', part = '']) => ({
    status: Number(status),
    headers: Object.fromEntries(
      head.split('\r\n').map(line => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
      }),
    ),
    body: part.trim(),
  }));
}

function readBatch(call: WritesCall, answer: PlainAnswer, level: Level): Answer {
  expect(answer.status === 202, `A batch answers 202, not ${answer.status}.`);
  const parts = partsOf(answer.body);
  const [first] = parts;
  if (first && first.status >= 400) {
    expect(parts.length === 1, 'A changeset that fails has one answer.');
    return { ...NOTHING, status: first.status, ...refusal(first, false) };
  }
  expect(
    parts.length === call.writes.length,
    `There are ${parts.length} answers to ${call.writes.length} writes.`,
  );
  const each = parts.map((part, i) => {
    expect(headerIn(part, 'content-id') === String(i), 'The parts are not in order.');
    return writeAnswer(call, i, part, level);
  });
  const versions = each.flatMap(part => part.versions);
  return { ...NOTHING, status: 202, versions, entities: each.flatMap(part => part.entities) };
}

function readPage(call: Call & { kind: 'page' }, answer: PlainAnswer, level: Level): Answer {
  expect(headerIn(answer, 'etag') === undefined, 'A page has no ETag.');
  const entities = listIn(requireJson(answer, level)).map(each => seenOf(each, level, call.select));
  const partition = readToken(headerIn(answer, 'x-ms-continuation-nextpartitionkey'));
  const key = readToken(headerIn(answer, 'x-ms-continuation-nextrowkey')) ?? '';
  return {
    ...NOTHING,
    status: 200,
    entities,
    next: partition === undefined ? undefined : { partition, key },
  };
}

const EMPTY_STATUSES: Readonly<Record<string, number>> = { deleteTable: 204, setAcl: 204, setSettings: 202 };

function readSuccess(call: Call, answer: PlainAnswer, level: Level): Answer {
  const { status, body } = answer;
  const plain = { ...NOTHING, status };
  switch (call.kind) {
    case 'writes':
      return { ...plain, ...writeAnswer(call, 0, answer, level) };
    case 'page':
      return readPage(call, answer, level);
    case 'get': {
      const seen = seenOf(Object.fromEntries(requireJson(answer, level)), level, call.select, call);
      const version = tickOf(headerIn(answer, 'etag'));
      expect(seen.version === undefined || seen.version === version, 'The ETag is not the Timestamp.');
      return { ...plain, entities: [{ ...seen, version }] };
    }
    case 'createTable':
    case 'getTable': {
      expect(status === (call.kind === 'getTable' ? 200 : 201), `The status is ${status}.`);
      return { ...plain, tables: [textIn(requireJson(answer, level), 'TableName')] };
    }
    case 'queryTables': {
      const tables = listIn(requireJson(answer, level)).map(each => textIn(membersOf(each), 'TableName'));
      const nextTable = readToken(headerIn(answer, 'x-ms-continuation-nexttablename'));
      return { ...plain, tables, nextTable };
    }
    case 'getAcl':
      return { ...plain, texts: [...body.matchAll(/<Id>([^<]*)<\/Id>/g)].map(([, id = '']) => id) };
    case 'getSettings':
      return {
        ...plain,
        texts: [...body.matchAll(/<AllowedOrigins>([^<]*)</g)].map(([, text = '']) => text),
      };
    default:
      expect(status === EMPTY_STATUSES[call.kind] && body === '', `The status is ${status}.`);
      return plain;
  }
}

function readBatchQuery(call: GetCall, answer: PlainAnswer, level: Level): Answer {
  const [part, ...others] = partsOf(answer.body);
  expect(
    answer.status === 202 && part !== undefined && others.length === 0,
    'A batch of one GET has one answer.',
  );
  if (part.status >= 400) return { ...NOTHING, status: part.status, ...refusal(part, false) };
  return readSuccess(call, part, level);
}

const XML_CALLS: ReadonlySet<Call['kind']> = new Set(['getAcl', 'setAcl', 'getSettings', 'setSettings']);

/** @throws Error for an answer that cannot be one to this call. */
export function readAnswer(call: Call, answer: PlainAnswer, level: Level): Answer {
  expect((headerIn(answer, 'x-ms-request-id') ?? '') !== '', 'There is no x-ms-request-id.');
  expect(headerIn(answer, 'x-ms-version') === '2019-02-02', 'x-ms-version is not echoed.');
  if (answer.status >= 400)
    return { ...NOTHING, status: answer.status, ...refusal(answer, XML_CALLS.has(call.kind)) };
  if (call.kind === 'writes' && call.isBatch) return readBatch(call, answer, level);
  return call.kind === 'get' && call.isBatch
    ? readBatchQuery(call, answer, level)
    : readSuccess(call, answer, level);
}
