// A new service works behind the same request frame without a change to it. This one keeps notes, a text under a name.
// A real one is a domain, a folder of the wire and a folder below packages/server/services, and edits five existing
// files: packages/server/services/registry.ts (its entry in SERVICES, with its port and host),
// packages/server/auth/roles.ts (the names of its roles), packages/cli/serve.ts (its flags), package.json (the aliases
// of its domain and its wire in `imports`), and test/structure/rooms.ts (its lines in DIRECTIONS, SERVICES and ROOMS).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ServiceError, type SharedErrorCode, setStoredProperties } from '#account';
import type { WireResponse } from '#base';
import { Accounts, issueToken, type RunningServer, serve } from '#server';
import {
  authorize,
  ENGINES,
  type Grant,
  type RequestContext,
  SERVICES,
  type ServerContext,
  Service,
  type ServiceEntry,
  type ServiceProtocol,
} from '#server/parts';
import {
  type ErrorTable,
  type Exchange,
  errorMessage,
  type Header,
  type ServiceRoute,
  SHARED_ERRORS,
  wireCode,
} from '#wire';
import { stubProtocol, stubRight } from '../support/stub-service.js';

type Kind = 'putNote' | 'getNote' | 'getServiceStats';
type NoteErrorCode = SharedErrorCode | 'NoteNotFound';
type NoteRoute = ServiceRoute<string>;

interface NoteAnswer {
  readonly status: number;
  readonly text: string;
  readonly more: readonly Header[];
}

class NoteError extends ServiceError<NoteErrorCode> {
  override readonly name = 'NoteError';
}

const NOTE_ERRORS: ErrorTable<NoteErrorCode> = {
  ...SHARED_ERRORS,
  InternalError: { status: 500, message: 'The pen broke.' },
  'InvalidHeaderValue:Cors': SHARED_ERRORS.InvalidHeaderValue,
  NoteNotFound: { status: 404, message: 'There is no note {note}.' },
};

const AUTHORIZATION = {
  rights: {
    putNote: stubRight('note', 'w'),
    getNote: stubRight('note', 'r'),
    getServiceStats: stubRight('note', 'r'),
  },
  roles: {},
  sasScope: (note: string) => `The signature is for the note ${note}.`,
};

async function run(
  kind: Kind,
  { account, resource: name }: NoteRoute,
  grant: Grant,
  { request, server: { store } }: RequestContext<string, Kind>,
): Promise<NoteAnswer> {
  authorize(AUTHORIZATION, grant, kind, name);
  const address = { account, service: 'note', name };
  if (kind === 'putNote') {
    await store.createSpace(address, request.body);
    return { status: 201, text: '', more: [] };
  }
  const note = await store.getSpace(address);
  if (!note) throw new NoteError('NoteNotFound', { note: name });
  return { status: 200, text: note.metadata.toString(), more: [] };
}

function formatResponse({ status, text, more }: NoteAnswer, { requestId, version }: Exchange): WireResponse {
  const headers: Header[] = [
    ['Content-Length', `${text.length}`],
    ['x-ms-request-id', requestId],
    ['x-ms-version', version],
    ...more,
  ];
  return { status, headers, body: text };
}

const NOTE_SERVICE: ServiceProtocol<string, Kind, NoteErrorCode, NoteAnswer> = {
  ...AUTHORIZATION,
  ...stubProtocol('note'),
  kindOf: ({ method }) => (method === 'PUT' ? 'putNote' : 'getNote'),
  refuseAnonymous: () => new NoteError('ResourceNotFound', { reason: 'Nobody asks.' }),
  run,
  formatPreflight: more => ({ status: 200, text: '', more }),
  formatError: error => {
    const entry = NOTE_ERRORS[error.code];
    return { status: entry.status, text: `${wireCode(error.code)}: ${errorMessage(entry, error)}`, more: [] };
  },
  formatResponse,
};

interface Opened {
  readonly server: RunningServer;
  readonly context: ServerContext;
  /** The log's entries, a line each. */
  readonly logged: string[];
}

async function start(t: TestContext): Promise<Opened> {
  const logged: string[] = [];
  const contexts: ServerContext[] = [];
  const entry: ServiceEntry = {
    protocol: NOTE_SERVICE,
    endpointName: 'NoteEndpoint',
    addressOf: () => ({ host: undefined, port: 0 }),
    open: server => {
      contexts.push(server);
      const log: ServerContext['log'] = {
        seesAnswers: true,
        request: ({ service, method, status, code }) =>
          logged.push([service, method, status, code].join(' ')),
        failure: (_, error) => logged.push(String(error)),
      };
      return new Service(NOTE_SERVICE, { ...server, log });
    },
  };
  const server = await serve({ operations: { port: 0 } }, ENGINES, [...SERVICES, entry]);
  t.after(() => server.close());
  return { server, context: contexts[0] ?? assert.fail('It was not opened.'), logged };
}

interface Asked {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Signed by Shared Key Lite if a key is given. */
async function ask({ server }: Opened, method: string, name: string, { key, headers, query }: Asked = {}) {
  const account = server.account.name;
  const dated = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2020-02-10', ...headers };
  const type = 'text/plain';
  const lines = `x-ms-date:${dated['x-ms-date']}\nx-ms-version:${dated['x-ms-version']}\n`;
  const text = `${method}\n\n${type}\n\n${lines}/${account}/${account}/${name}`;
  const signature = createHmac('sha256', Buffer.from(key ?? '', 'base64'))
    .update(text)
    .digest('base64');
  const authorization = key === undefined ? undefined : `SharedKeyLite ${account}:${signature}`;
  const response = await fetch(`${server.endpoints.note}/${name}${query ? `?${query}` : ''}`, {
    method,
    headers: { 'Content-Type': type, ...dated, ...(authorization && { authorization }) },
    ...(method === 'PUT' && { body: 'remember the milk' }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const allOf = async (server: RunningServer): Promise<string> =>
  (await fetch(`http://127.0.0.1:${server.operationsPort}/metrics`)).text();

test('an unknown service is served next to the others, with its own operations and errors', async t => {
  const opened = await start(t);
  const { server, logged } = opened;
  const { key } = server.account;
  assert.match(server.connectionString(), /TableEndpoint=.*QueueEndpoint=.*NoteEndpoint=http:/);
  const put = await ask(opened, 'PUT', 'milk', { key });
  assert.equal(put.status, 201);
  assert.equal(put.headers.get('x-ms-version'), '2020-02-10');
  assert.match(put.headers.get('x-ms-request-id') ?? '', /^[0-9a-f-]{36}$/);
  assert.equal((await ask(opened, 'GET', 'milk', { key })).text, 'remember the milk');
  const missing = await ask(opened, 'GET', 'bread', { key });
  assert.deepEqual([missing.status, missing.text], [404, 'NoteNotFound: There is no note bread.']);
  const badVersion = await ask(opened, 'GET', 'milk', { key, headers: { 'x-ms-version': 'new' } });
  assert.match(badVersion.text, /^InvalidHeaderValue: The value for one of the HTTP headers/);
  assert.deepEqual(logged, [
    'note PUT 201 ',
    'note GET 200 ',
    'note GET 404 NoteNotFound',
    'note GET 400 InvalidHeaderValue',
  ]);
});

test('keys, signatures and roles are checked as for the others', async t => {
  const opened = await start(t);
  const { server } = opened;
  const { name: account, key } = server.account;
  await ask(opened, 'PUT', 'milk', { key });
  const wrong = await ask(opened, 'GET', 'milk', { key: 'AAAA' });
  assert.match(wrong.text, /^AuthenticationFailed: Server failed to authenticate the request/);
  assert.match((await ask(opened, 'GET', 'milk')).text, /^ResourceNotFound:/);

  const fields = { sv: '2020-02-10', sp: 'r', se: '2100-01-01T00:00:00Z' };
  const text = `r\n\n${fields.se}\n/note/${account}/milk\n\n\n\n${fields.sv}`;
  const sig = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  const query = new URLSearchParams({ ...fields, sig }).toString();
  assert.equal((await ask(opened, 'GET', 'milk', { query })).status, 200);
  assert.match((await ask(opened, 'PUT', 'milk', { query })).text, /^AuthorizationPermissionMismatch:/);
  assert.match((await ask(opened, 'GET', 'bread', { query })).text, /^AuthenticationFailed:/);

  const tokenOf = async (role: 'Storage Account Contributor' | 'Storage Table Data Reader') => {
    const request = { account, roles: [role], lifetimeSeconds: 3_600 };
    const token = await issueToken(new Accounts({ [account]: [key] }), request, opened.context.clock());
    return { authorization: `Bearer ${token}` };
  };
  const asOwner = { headers: await tokenOf('Storage Account Contributor') };
  assert.equal((await ask(opened, 'GET', 'milk', asOwner)).status, 200);
  const asReader = { headers: await tokenOf('Storage Table Data Reader') };
  assert.match((await ask(opened, 'GET', 'milk', asReader)).text, /^AuthorizationPermissionMismatch:/);

  // A cached valid signature is invalid with other keys.
  server.replaceAccounts({ [account]: [Buffer.alloc(64, 1).toString('base64')] });
  assert.match((await ask(opened, 'GET', 'milk', { query })).text, /^AuthenticationFailed:/);
});

test('its CORS rules are its own', async t => {
  const opened = await start(t);
  const { name: account, key } = opened.server.account;
  const rule = {
    allowedOrigins: ['http://a.example'],
    allowedMethods: ['GET'],
    allowedHeaders: [],
    exposedHeaders: [],
    maxAgeSeconds: 5,
  };
  await setStoredProperties({ store: opened.context.store, account, service: 'note' }, { cors: [rule] });
  const headers = { origin: 'http://a.example' };
  const asking = { ...headers, 'access-control-request-method': 'GET' };
  const preflight = await ask(opened, 'OPTIONS', 'milk', { headers: asking });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-max-age')], [200, '5']);
  const refused = await ask(opened, 'GET', 'milk', { key, headers });
  assert.deepEqual(
    [refused.status, refused.headers.get('access-control-allow-origin')],
    [404, 'http://a.example'],
  );
  const other = await ask(opened, 'OPTIONS', 'milk', { headers: { ...asking, origin: 'http://b.example' } });
  assert.match(other.text, /^CorsPreflightFailure:/);
});

test('its operations are counted under its name, including those that other services have too', async t => {
  const opened = await start(t);
  const { key } = opened.server.account;
  await ask(opened, 'PUT', 'milk', { key });
  await ask(opened, 'GET', 'milk', { key });
  await ask(opened, 'GET', 'milk', { key: 'AAAA' });
  const metrics = await allOf(opened.server);
  for (const line of [
    'shelfmark_requests_total{operation="putNote",status="201"} 1',
    'shelfmark_requests_total{operation="getNote",status="200"} 1',
    'shelfmark_requests_total{operation="unknownNoteOperation",status="403"} 1',
    'shelfmark_refusals_total{code="AuthenticationFailed"} 1',
  ])
    assert.ok(metrics.includes(`${line}\n`), `${line} in\n${metrics}`);
});
