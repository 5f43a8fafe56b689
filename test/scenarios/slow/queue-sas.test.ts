// Shared access signatures for queues, made by the official client: what they grant, and what they do not. Letters and roles are
// those of packages/server/services/rights.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  generateQueueSASQueryParameters,
  QueueSASPermissions,
  type QueueSASSignatureValues,
  QueueServiceClient,
} from '@azure/storage-queue';
import { refuses } from '../../support/clients.js';
import { makeQueue, queueCredential, queueEndpointOf, queueSasClient } from '../../support/queue-clients.js';
import { describeTargets, type Subject } from '../../support/targets.js';

const hour = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);

function queueSas({ server }: Subject, queueName: string, values: Partial<QueueSASSignatureValues>): string {
  const all = { queueName, expiresOn: hour(1), ...values };
  return generateQueueSASQueryParameters(all, queueCredential(server)).toString();
}

const letters = (text: string): Partial<QueueSASSignatureValues> => ({
  permissions: QueueSASPermissions.parse(text),
});

function accountSas({ server }: Subject, types: string, permissions: string): string {
  const values = {
    services: AccountSASServices.parse('q').toString(),
    resourceTypes: AccountSASResourceTypes.parse(types).toString(),
    permissions: AccountSASPermissions.parse(permissions),
    expiresOn: hour(1),
  };
  return generateAccountSASQueryParameters(values, queueCredential(server)).toString();
}

describeTargets('signatures of queues', subject => {
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

  test('a stored policy supplies what the signature leaves out, until it is gone', async () => {
    const queue = await makeQueue(subject);
    const accessPolicy = { startsOn: hour(-1), expiresOn: hour(1), permissions: 'ra' };
    await queue.setAccessPolicy([{ id: 'p1', accessPolicy }]);
    const signature = generateQueueSASQueryParameters(
      { queueName: queue.name, identifier: 'p1' },
      queueCredential(subject.server),
    ).toString();
    const client = queueSasClient(subject.server, queue.name, signature);
    await client.sendMessage('a');
    assert.equal((await client.peekMessages()).peekedMessageItems.length, 1);
    await refuses(client.receiveMessages(), 403, 'AuthorizationPermissionMismatch');
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
  test('the service needs types and letters of its own', async () => {
    const service = (types: string, text: string) =>
      new QueueServiceClient(
        `${queueEndpointOf(subject.server)}?${accountSas(subject, types, text)}`,
        undefined,
        { retryOptions: { maxTries: 1 } },
      );
    await service('s', 'l').listQueues().next();
    await service('s', 'r').getProperties();
    await refuses(service('c', 'l').listQueues().next(), 403, 'AuthorizationResourceTypeMismatch');
    await refuses(service('s', 'r').listQueues().next(), 403, 'AuthorizationPermissionMismatch');
    await refuses(service('s', 'l').getProperties(), 403, 'AuthorizationPermissionMismatch');
  });
});
