// Shared access signatures and bearer tokens for queues, made by the official client: what they grant, and what they do not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  generateQueueSASQueryParameters,
  type QueueClient,
  QueueSASPermissions,
  type QueueSASSignatureValues,
  QueueServiceClient,
  SASProtocol,
} from '@azure/storage-queue';
import { Accounts, issueToken, type Role } from 'shelfmark';
import { refuses } from '../../support/clients.js';
import {
  makeQueue,
  queueClient,
  queueCredential,
  queueEndpointOf,
  queueSasClient,
} from '../../support/queue-clients.js';
import { describeTargets, type Subject } from '../../support/targets.js';

const hour = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);

function queueSas({ server }: Subject, queueName: string, values: Partial<QueueSASSignatureValues>): string {
  const all = { queueName, expiresOn: hour(1), ...values };
  return generateQueueSASQueryParameters(all, queueCredential(server)).toString();
}

const letters = (text: string): Partial<QueueSASSignatureValues> => ({
  permissions: QueueSASPermissions.parse(text),
});

function accountSas({ server }: Subject, services: string, types: string, permissions: string): string {
  const values = {
    services: AccountSASServices.parse(services).toString(),
    resourceTypes: AccountSASResourceTypes.parse(types).toString(),
    permissions: AccountSASPermissions.parse(permissions),
    expiresOn: hour(1),
  };
  return generateAccountSASQueryParameters(values, queueCredential(server)).toString();
}

/** The outcome of each operation, by its name: a code, or `ok`. */
async function outcomes(queue: QueueClient): Promise<Readonly<Record<string, string>>> {
  const { messageId, popReceipt } = { messageId: 'none', popReceipt: 'AgAAAA==' };
  const tries: Readonly<Record<string, () => Promise<unknown>>> = {
    put: () => queue.sendMessage('a'),
    peek: () => queue.peekMessages(),
    get: () => queue.receiveMessages(),
    update: () => queue.updateMessage(messageId, popReceipt, 'b', 0),
    remove: () => queue.deleteMessage(messageId, popReceipt),
    clear: () => queue.clearMessages(),
    metadata: () => queue.getProperties(),
    setMetadata: () => queue.setMetadata({}),
    acl: () => queue.getAccessPolicy(),
    create: () => queue.create(),
  };
  const found: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(tries))
    found[name] = await attempt().then(
      () => 'ok',
      error => String(error.code),
    );
  return found;
}

/** Names of the authorized operations, whatever their outcome. */
const opened = async (queue: QueueClient): Promise<string[]> =>
  Object.entries(await outcomes(queue))
    .filter(([, code]) => !code.startsWith('Auth'))
    .map(([name]) => name);

describeTargets('signatures of queues', subject => {
  test('each letter grants its operations', async () => {
    const { name } = await makeQueue(subject);
    const openedBy = (text: string) =>
      opened(queueSasClient(subject.server, name, queueSas(subject, name, letters(text))));
    assert.deepEqual(await openedBy('r'), ['peek', 'metadata']);
    assert.deepEqual(await openedBy('a'), ['put']);
    assert.deepEqual(await openedBy('u'), ['update']);
    assert.deepEqual(await openedBy('p'), ['get', 'remove']);
    assert.deepEqual(await openedBy('raup'), ['put', 'peek', 'get', 'update', 'remove', 'metadata']);
  });

  test('it is only for its queue', async () => {
    const [one, other] = [await makeQueue(subject), await makeQueue(subject)];
    const signature = queueSas(subject, one.name, letters('raup'));
    await queueSasClient(subject.server, one.name, signature).sendMessage('a');
    await refuses(
      queueSasClient(subject.server, other.name, signature).sendMessage('a'),
      403,
      'AuthenticationFailed',
    );
    await queueSasClient(subject.server, one.name, signature).sendMessage('b');
  });

  test('times, addresses and protocol are enforced', async () => {
    const { name } = await makeQueue(subject);
    const codeOf = (values: Partial<QueueSASSignatureValues>) => {
      const signature = queueSas(subject, name, { ...letters('r'), ...values });
      return queueSasClient(subject.server, name, signature)
        .peekMessages()
        .then(
          () => 'ok',
          error => String(error.code),
        );
    };
    assert.equal(await codeOf({ startsOn: hour(-1) }), 'ok');
    assert.equal(await codeOf({ expiresOn: hour(-1) }), 'AuthenticationFailed');
    assert.equal(await codeOf({ startsOn: hour(0.5) }), 'AuthenticationFailed');
    assert.equal(await codeOf({ ipRange: { start: '127.0.0.1' } }), 'ok');
    assert.equal(await codeOf({ ipRange: { start: '10.0.0.1' } }), 'AuthorizationSourceIPMismatch');
    // The published account on this machine may do without HTTPS.
    assert.equal(await codeOf({ protocol: SASProtocol.Https }), 'ok');
    assert.equal(await codeOf({ version: '2018-11-09' }), 'ok');
  });

  test('a stored policy supplies what the signature leaves out, until it is gone', async () => {
    const queue = await makeQueue(subject);
    const accessPolicy = { startsOn: hour(-1), expiresOn: hour(1), permissions: 'ra' };
    await queue.setAccessPolicy([{ id: 'p1', accessPolicy }]);
    const signature = generateQueueSASQueryParameters(
      { queueName: queue.name, identifier: 'p1' },
      queueCredential(subject.server),
    ).toString();
    const client = queueSasClient(subject.server, queue.name, signature);
    assert.deepEqual(await opened(client), ['put', 'peek', 'metadata']);
    const twice = queueSas(subject, queue.name, { identifier: 'p1', ...letters('r') });
    await refuses(
      queueSasClient(subject.server, queue.name, twice).peekMessages(),
      403,
      'AuthenticationFailed',
    );
    await queue.setAccessPolicy([]);
    await refuses(client.peekMessages(), 403, 'AuthenticationFailed');
  });
});

describeTargets('signatures of accounts, for queues', subject => {
  test('each letter grants its operations on its types', async () => {
    const { name } = await makeQueue(subject);
    const openedBy = (types: string, text: string) =>
      opened(queueSasClient(subject.server, name, accountSas(subject, 'q', types, text)));
    assert.deepEqual(await openedBy('o', 'r'), ['peek']);
    assert.deepEqual(await openedBy('o', 'a'), ['put']);
    assert.deepEqual(await openedBy('o', 'u'), ['update']);
    assert.deepEqual(await openedBy('o', 'p'), ['get', 'remove']);
    assert.deepEqual(await openedBy('o', 'd'), ['clear']);
    assert.deepEqual(await openedBy('c', 'r'), ['metadata']);
    assert.deepEqual(await openedBy('c', 'w'), ['setMetadata', 'create']);
    assert.deepEqual(await openedBy('s', 'rwdlacup'), []);
    const all = (await openedBy('sco', 'rwdlacup')).filter(one => one !== 'acl');
    assert.equal(all.length, 9);
  });

  test('the service needs types and letters of its own', async () => {
    const service = (types: string, text: string) =>
      new QueueServiceClient(
        `${queueEndpointOf(subject.server)}?${accountSas(subject, 'q', types, text)}`,
        undefined,
        { retryOptions: { maxTries: 1 } },
      );
    await service('s', 'l').listQueues().next();
    await service('s', 'r').getProperties();
    await refuses(service('c', 'l').listQueues().next(), 403, 'AuthorizationResourceTypeMismatch');
    await refuses(service('s', 'r').listQueues().next(), 403, 'AuthorizationPermissionMismatch');
    await refuses(service('s', 'l').getProperties(), 403, 'AuthorizationPermissionMismatch');
  });

  test('one for other services grants nothing here', async () => {
    const { name } = await makeQueue(subject);
    const client = queueSasClient(subject.server, name, accountSas(subject, 'bt', 'sco', 'rwdlacup'));
    await refuses(client.peekMessages(), 403, 'AuthorizationServiceMismatch');
  });
});

describeTargets('bearer tokens for queues', subject => {
  /** The client requires TLS for tokens, so requests are written by hand. */
  async function ask(role: Role, method: string, path: string, body?: string): Promise<number> {
    const { server } = subject;
    const accounts = new Accounts({ [server.account.name]: [server.account.key] });
    const request = { account: server.account.name, roles: [role], lifetimeSeconds: 3_600 };
    const token = await issueToken(accounts, request, BigInt(Date.now()) * 10_000n);
    const answer = await fetch(`${queueEndpointOf(server)}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'x-ms-version': '2026-04-06' },
      ...(body !== undefined && { body }),
    });
    await answer.text();
    return answer.status;
  }

  test('roles grant what they are for', async () => {
    const { name } = await makeQueue(subject);
    const message = '<QueueMessage><MessageText>a</MessageText></QueueMessage>';
    const requests = [
      ['POST', `${name}/messages`, message],
      ['GET', `${name}/messages?peekonly=true`],
      ['GET', `${name}/messages`],
      ['DELETE', `${name}/messages`],
      ['PUT', `${name}?comp=metadata`],
      ['GET', `${name}?comp=acl`],
    ] as const;
    const statuses = async (role: Role) => {
      const found = [];
      for (const [method, path, body] of requests) found.push(await ask(role, method, path, body));
      return found;
    };
    assert.deepEqual(await statuses('Storage Queue Data Message Sender'), [201, 403, 403, 403, 403, 403]);
    assert.deepEqual(await statuses('Storage Queue Data Message Processor'), [403, 200, 200, 403, 403, 403]);
    assert.deepEqual(await statuses('Storage Queue Data Reader'), [403, 200, 403, 403, 403, 403]);
    assert.deepEqual(await statuses('Storage Queue Data Contributor'), [201, 200, 200, 204, 204, 403]);
    assert.deepEqual(await statuses('Storage Table Data Contributor'), [403, 403, 403, 403, 403, 403]);
  });

  test('anonymous callers get a challenge, or find nothing', async () => {
    const path = `${queueEndpointOf(subject.server)}/${queueClient(subject.server, 'any').name}?comp=metadata`;
    const asked = await fetch(path, { headers: { 'x-ms-version': '2026-04-06' } });
    assert.equal(asked.status, 401);
    assert.equal(asked.headers.get('x-ms-error-code'), 'NoAuthenticationInformation');
    assert.match(asked.headers.get('www-authenticate') ?? '', /^Bearer authorization_uri=/);
    const older = await fetch(path, { headers: { 'x-ms-version': '2019-02-02' } });
    assert.equal(older.status, 404);
    assert.equal(older.headers.get('x-ms-error-code'), 'ResourceNotFound');
  });
});
