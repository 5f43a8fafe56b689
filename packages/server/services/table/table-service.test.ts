// The order in which a request's errors are reported, pair by pair (docs/errors.md; protocol: requests#order-of-checks), and what every
// answer has of its request: version, ids, log line, failures of the store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore, type Store, StoreError, type StoreErrorCode } from '#store';
import {
  ACCOUNT,
  accountSas,
  headersOf,
  NOW,
  openService,
  openTable,
  refusalOf,
  type Sent,
  sentenceOf,
  type TestService,
  tableSas,
  textOf,
} from '../../testing/service.js';

/** A request with places for faults. */
interface Draft {
  method: string;
  account: string;
  table: string;
  /** Between the parentheses of the target. */
  keys: string;
  query: string;
  sas: Record<string, string>;
  headers: Record<string, string>;
  tooLarge: boolean;
  members: Record<string, string | number>;
  /** In place of the members. */
  text: string | undefined;
}

interface Fault {
  readonly name: string;
  readonly expected: string;
  apply(draft: Draft): void;
}

const fault = (name: string, expected: string, apply: Fault['apply']): Fault => ({ name, expected, apply });
const header = (expected: string, name: string, value: string): Fault =>
  fault(`${name}: ${value}`, expected, ({ headers }) => {
    headers[name] = value;
  });
const member = (expected: string, name: string, value: string | number): Fault =>
  fault(`member ${name.slice(0, 20)}`, expected, ({ members }) => {
    members[name] = value;
  });

async function send({ raw }: TestService, draft: Draft): Promise<string> {
  const { account, table, keys, sas, query, headers, tooLarge, members, text, method } = draft;
  const signature =
    sas.sp === undefined ? '' : sas.srt === undefined ? tableSas(table, sas) : accountSas(sas);
  const target = `/${account}/${table}${keys}?${query}${signature}`;
  const body = text ?? JSON.stringify(members);
  return refusalOf(await raw(method, target, { headers, body, bodyTooLarge: tooLarge, anonymous: true }));
}

/** Of every two errors the earlier one is reported, and each alone; without errors the request succeeds. */
async function assertOrder(service: TestService, base: () => Draft, faults: readonly Fault[]): Promise<void> {
  for (const [i, first] of faults.entries()) {
    for (const second of [undefined, ...faults.slice(i + 1)]) {
      const draft = base();
      second?.apply(draft);
      first.apply(draft);
      const found = await send(service, draft);
      assert.equal(found, first.expected, `${first.name}, with ${second?.name ?? 'nothing else'}`);
    }
  }
  assert.equal(await send(service, base()), '0');
}

const blank = {
  account: ACCOUNT,
  table: 'People',
  keys: '',
  query: '',
  tooLarge: false,
  text: undefined,
} as const;

const BEFORE_THE_BODY: readonly Fault[] = [
  fault('broken escape', '400 InvalidUri', draft => {
    draft.query = 'x=%&';
  }),
  header('400 InvalidHeaderValue', 'x-ms-version', 'latest'),
  fault('expired', '403 AuthenticationFailed', ({ sas }) => {
    sas.se = '2019-12-31T00:00:00Z';
  }),
  fault('too large', '413 RequestBodyTooLarge', draft => {
    draft.tooLarge = true;
  }),
];
const FORMAT = header('415 AtomFormatNotSupported', 'accept', 'application/atom+xml');
const NAME = fault('bad table name', '400 InvalidResourceName', draft => {
  draft.table = 'my_table';
});
const permission = (letters: string): Fault =>
  fault(`sp=${letters}`, '403 AuthorizationPermissionMismatch', ({ sas }) => {
    sas.sp = letters;
  });
const BODY: readonly Fault[] = [
  header('415 MediaTypeNotSupported', 'content-type', 'text/plain'),
  fault('malformed JSON', '400 InvalidInput', draft => {
    draft.text = '{';
  }),
];
const BAD_NAME = member('400 PropertyNameInvalid', 'a-b', 1);
const NO_TABLE = fault('missing table', '404 TableNotFound', draft => {
  draft.table = 'Missing';
});
const VALUE = member('400 PropertyValueTooLarge', 'a', 'x'.repeat(32_769));
/** What is wrong with the properties of an entity, found when its table is there. */
const PROPERTIES: readonly Fault[] = [
  VALUE,
  member('400 PropertyNameTooLong', 'n'.repeat(256), 1),
  fault('a property twice', '400 DuplicatePropertiesSpecified', draft => {
    draft.text = '{"PartitionKey":"p","RowKey":"r","a":1,"a":1}';
  }),
  fault('a time before 1601', '400 OutOfRangeInput', ({ members }) => {
    members['a@odata.type'] = 'Edm.DateTime';
    members.a = '1600-12-31T00:00:00Z';
  }),
  fault('too many properties', '400 TooManyProperties', ({ members }) => {
    for (let i = 0; i < 253; i++) members[`p${i}`] = i;
  }),
  fault('entity too large', '400 EntityTooLarge', ({ members }) => {
    for (let i = 0; i < 17; i++) members[`p${i}`] = 'x'.repeat(32_768);
  }),
];

/** Faults that do not matter where the table is missing, one by one. */
async function assertTableFirst(
  service: TestService,
  base: () => Draft,
  faults: readonly Fault[],
): Promise<void> {
  for (const each of faults) await assertOrder(service, base, [NO_TABLE, each]);
}

async function openPeople(): Promise<TestService> {
  const service = await openTable();
  const body = '{"PartitionKey":"p","RowKey":"there"}';
  assert.equal((await service.send('POST', 'People', { body })).status, 201);
  return service;
}

test('the order of the faults of an insert with a signature of the table', async () => {
  let inserted = 0;
  const base = (): Draft => ({
    ...blank,
    method: 'POST',
    sas: { sp: 'a', spk: 'p', epk: 'p' },
    headers: {},
    members: { PartitionKey: 'p', RowKey: `new${inserted++}` },
  });
  const people = await openPeople();
  const early = [
    ...BEFORE_THE_BODY,
    fault('wrong verb', '405 MethodNotAllowed', draft => {
      draft.method = 'DELETE';
    }),
    FORMAT,
    NAME,
    permission('r'),
    ...BODY,
    BAD_NAME,
    member('400 InvalidInput', 'PartitionKey', 5),
  ];
  const noRowKey = fault('no row key', '400 PropertiesNeedValue', ({ members }) => {
    delete members.RowKey;
  });
  const outside = member('403 AuthorizationFailure', 'PartitionKey', 'z');
  const taken = member('409 EntityAlreadyExists', 'RowKey', 'there');
  await assertOrder(people, base, [...early, noRowKey, VALUE, outside, taken]);
  await assertOrder(people, base, [...early, outside, NO_TABLE, taken]);
  await assertTableFirst(people, base, [
    noRowKey,
    member('400 OutOfRangeInput', 'RowKey', 'a/b'),
    member('400 PropertyValueTooLarge', 'RowKey', 'k'.repeat(1025)),
    ...PROPERTIES,
  ]);
});

test('the order of the faults of an update with a signature of the account', async () => {
  const base = (): Draft => ({
    ...blank,
    method: 'PUT',
    keys: "(PartitionKey='p',RowKey='there')",
    sas: { sp: 'u', srt: 'o' },
    headers: { 'if-match': '*' },
    members: {},
  });
  const people = await openPeople();
  const early = [
    ...BEFORE_THE_BODY,
    header('400 XMethodNotUsingPost', 'x-http-method', 'MERGE'),
    fault('slash in a key', '400 InvalidInput', draft => {
      draft.keys = "(PartitionKey='p%2F',RowKey='r')";
    }),
    FORMAT,
    NAME,
    fault('secondary', '403 InsufficientAccountPermissions', draft => {
      draft.account = `${ACCOUNT}-secondary`;
    }),
    fault('resource type', '403 AuthorizationResourceTypeMismatch', ({ sas }) => {
      sas.srt = 'sc';
    }),
    permission('ra'),
    header('400 InvalidInput', 'if-none-match', '*'),
    header('400 InvalidInput', 'if-match', 'abc'),
    ...BODY,
    BAD_NAME,
  ];
  const late = [
    fault('is missing', '404 ResourceNotFound', draft => {
      draft.keys = "(PartitionKey='p',RowKey='missing')";
    }),
    header('412 UpdateConditionNotSatisfied', 'if-match', 'W/"x"'),
  ];
  await assertOrder(people, base, [...early, VALUE, ...late]);
  await assertOrder(people, base, [...early, NO_TABLE, ...late]);
  await assertTableFirst(people, base, PROPERTIES);
});

test('the order of the faults of a query', async () => {
  const option = (expected: string, text: string): Fault =>
    fault(text, expected, draft => {
      draft.query += `${text}&`;
    });
  const base = (): Draft => ({
    ...blank,
    method: 'GET',
    sas: { sp: 'r', srt: 'o' },
    headers: {},
    members: {},
  });
  await assertOrder(await openPeople(), base, [
    ...BEFORE_THE_BODY.slice(0, 3),
    FORMAT,
    NAME,
    permission('a'),
    option('501 NotImplemented', '$skip=1'),
    option('400 InvalidInput', '$filter=a+b'),
    option('400 InvalidInput', '$top=1001'),
    NO_TABLE,
  ]);
});

test('an answer echoes the version that it took, and names the newest otherwise', async () => {
  const { send: request, raw } = openService();
  const version = async (headers: Sent['headers']) =>
    headersOf(await request('GET', 'Tables', { headers: { ...headers } })).get('x-ms-version');
  assert.equal(await version({ 'x-ms-version': '2017-04-17' }), '2017-04-17');
  assert.equal(await version({ 'x-ms-version': '2099-01-01' }), '2099-01-01');
  assert.equal(await version({ 'x-ms-version': undefined }), '2026-10-06');
  assert.equal(await version({ 'x-ms-version': 'x' }), '2026-10-06');
  const anonymous = { headers: { 'x-ms-version': undefined }, anonymous: true };
  const signed = await raw('GET', `/${ACCOUNT}/Tables?${accountSas({ sp: 'l' })}`, anonymous);
  assert.deepEqual([signed.status, headersOf(signed).get('x-ms-version')], [200, '2019-02-02']);
});

test('a version in the query cannot put lines into the headers', async () => {
  const { raw } = openService();
  const sent = { headers: { 'x-ms-version': undefined }, anonymous: true };
  const response = await raw('GET', `/${ACCOUNT}/Tables?sv=a%0D%0AX-Forged:%20b%C3%A9`, sent);
  assert.equal(refusalOf(response), '400 InvalidHeaderValue');
  for (const [name, value] of response.headers) assert.match(`${name}: ${value}`, /^[\x20-\x7e]*$/);
});

test('request ids: a new one for each request, in the headers, in the text and in the log', async () => {
  const { send: request, logged } = openService();
  await request('GET', 'Tables');
  const response = await request('GET', "Tables('Missing')");
  const id = headersOf(response).get('x-ms-request-id');
  assert.equal(id, '00000000-0000-0000-0000-000000000002');
  assert.ok(textOf(response).includes(`\\nRequestId:${id}\\nTime:2020-01-01T01:02:00.0000000Z"`));
  assert.equal(logged[1]?.requestId, id);
});

test("the client's request id comes back if it can stand in a header", async () => {
  const { send: request } = openService();
  const echo = async (text: string) => {
    const response = await request('GET', 'Tables', { headers: { 'x-ms-client-request-id': text } });
    return headersOf(response).get('x-ms-client-request-id');
  };
  for (const text of ['mine', 'a b', 'x'.repeat(1024)]) assert.equal(await echo(text), text);
  for (const text of ['', 'é', 'a\tb', 'x'.repeat(1025)]) assert.equal(await echo(text), undefined);
});

test('one line in the log for each request, without query, with code and reason', async () => {
  const { send: request, raw, logged } = await openTable();
  logged.length = 0;
  await request('GET', 'People?$top=1');
  await request('GET', "People(PartitionKey='',RowKey='')");
  await raw('GET', `/${ACCOUNT}/People?sig=secret`, { anonymous: true });
  assert.deepEqual(
    logged.map(({ path, status, code }) => [path, status, code]),
    [
      [`/${ACCOUNT}/People`, 200, undefined],
      [`/${ACCOUNT}/People(PartitionKey='',RowKey='')`, 404, 'ResourceNotFound'],
      [`/${ACCOUNT}/People`, 403, 'AuthenticationFailed'],
    ],
  );
  assert.equal(logged[2]?.reason, 'sv is mandatory. Cannot be empty');
  assert.ok(!JSON.stringify(logged).includes('secret'));
});

/** A store whose reads fail so. */
function failing(error: Error): Store {
  const store = openMemoryStore({ clock: () => NOW });
  store.getSpace = () => Promise.reject(error);
  return store;
}

test('failures of the store: busy where it may pass, a fault of ours otherwise, the cause in the log only', async () => {
  const statuses: readonly (readonly [StoreErrorCode, string])[] = [
    ['busy', '503 ServerBusy'],
    ['conflict', '503 ServerBusy'],
    ['full', '503 ServerBusy'],
    ['closed', '503 ServerBusy'],
    ['tooLarge', '413 RequestBodyTooLarge'],
    ['corrupt', '500 InternalError'],
    ['unsupported', '500 InternalError'],
  ];
  for (const [code, expected] of statuses) {
    const error = new StoreError(code, 'secret');
    const { send: request, failures, logged } = openService(failing(error));
    const headers = { origin: 'http://page.example' };
    for (const response of [
      await request('GET', 'People'),
      await request('GET', 'People', { headers }),
      await request('OPTIONS', 'People', { headers, anonymous: true }),
      await request('GET', 'People?comp=acl'),
    ]) {
      assert.equal(refusalOf(response), expected);
      assert.ok(!textOf(response).includes('secret'));
    }
    assert.deepEqual(failures, [error, error, error, error]);
    assert.equal(logged.length, 4);
  }
  const bug = new RangeError('secret');
  const { send: request, failures } = openService(failing(bug));
  const response = await request('GET', 'People');
  assert.equal(refusalOf(response), '500 InternalError');
  assert.equal(sentenceOf(response), 'The server encountered an internal error. Please retry the request.');
  assert.deepEqual(failures, [bug]);
});

test('requests for accounts that there are not are not looked up', async () => {
  const { raw, service } = openService();
  const asked: string[] = [];
  const { getSpace } = service.store;
  service.store.getSpace = address => {
    asked.push(address.account);
    return getSpace.call(service.store, address);
  };
  const sent = { headers: { origin: 'http://a', 'access-control-request-method': 'GET' } };
  for (const method of ['OPTIONS', 'GET', 'PUT'])
    assert.equal((await raw(method, '/nobody/People', sent)).status, 403);
  assert.deepEqual(asked, []);
});

test('who uses a verb that the resource has not is told those that it has, also a tunnelled one', async () => {
  const { send } = await openTable();
  const allow = async (method: string, path: string, headers = {}): Promise<string | undefined> => {
    const response = await send(method, path, { headers });
    assert.equal(refusalOf(response), '405 MethodNotAllowed');
    return headersOf(response).get('allow');
  };
  assert.equal(await allow('DELETE', 'Tables'), 'GET, POST');
  assert.equal(await allow('POST', 'Tables', { 'x-http-method': 'MERGE' }), 'GET, POST');
  assert.equal(await allow('POST', "People(PartitionKey='p',RowKey='r')"), 'GET, PUT, MERGE, PATCH, DELETE');
  assert.equal(await allow('GET', '$batch'), 'POST');
});

test('a refusal of HEAD has no headers of content', async () => {
  const { send, raw } = await openTable();
  const refusals = [
    send('HEAD', 'Tables'),
    send('HEAD', 'Missing()'),
    send('HEAD', '', { anonymous: true }),
    raw('HEAD', '/'),
  ];
  for (const response of await Promise.all(refusals)) {
    assert(response.status >= 400);
    assert.deepEqual(
      [...headersOf(response).keys()].filter(name => name.startsWith('content-')),
      [],
    );
    assert(headersOf(response).has('x-ms-request-id'));
  }
});
