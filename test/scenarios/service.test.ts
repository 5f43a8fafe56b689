// The service's own settings through the official client: properties, CORS rules, statistics, stored access policies.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import { type SignedIdentifier, TableServiceClient } from '@azure/data-tables';
import { CLIENT_OPTIONS, keyCredential, makeTable, present, serviceClient } from '../support/clients.js';
import { describeTargets } from '../support/targets.js';

/** What a fresh account answers (protocol: service-properties#defaults). */
const DEFAULTS = {
  logging: {
    version: '1.0',
    read: false,
    write: false,
    delete: false,
    retentionPolicy: { enabled: false },
  },
  hourMetrics: {
    version: '1.0',
    enabled: true,
    includeAPIs: true,
    retentionPolicy: { enabled: true, days: 7 },
  },
  minuteMetrics: { version: '1.0', enabled: false, retentionPolicy: { enabled: false } },
};

const RULE = {
  allowedOrigins: 'https://one.example,https://two.example',
  allowedMethods: 'GET,PUT',
  allowedHeaders: 'x-ms-meta-abc',
  exposedHeaders: 'x-ms-request-id',
  maxAgeInSeconds: 500,
};

describeTargets('service', subject => {
  test('properties begin as those of a new account', async () => {
    const { logging, hourMetrics, minuteMetrics } = await serviceClient(subject.server).getProperties();
    assert.deepEqual(present({ logging, hourMetrics, minuteMetrics }), DEFAULTS);
  });

  test('properties are read back as they were set, and what was left out stays', async () => {
    const service = serviceClient(subject.server);
    const logging = {
      version: '1.0',
      read: true,
      write: true,
      delete: true,
      retentionPolicy: { enabled: true, days: 365 },
    };
    await service.setProperties({ logging, cors: [RULE] });
    const set = await service.getProperties();
    assert.deepEqual(set.logging, logging);
    assert.deepEqual(set.cors, [RULE]);
    assert.deepEqual(present(set.hourMetrics), DEFAULTS.hourMetrics);
    await service.setProperties({ minuteMetrics: DEFAULTS.hourMetrics });
    const changed = await service.getProperties();
    assert.deepEqual(changed.minuteMetrics, DEFAULTS.hourMetrics);
    assert.deepEqual(changed.logging, logging);
    assert.deepEqual(changed.cors, [RULE]);
    await service.setProperties({ cors: [] });
  });

  test('statistics are only on the secondary address', async () => {
    const { server } = subject;
    // The client derives the secondary's name from the first label of the host, so the account must be there; names
    // below localhost need no resolver.
    const agent = new Agent({
      lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const endpoint = `http://${server.account.name}.table.localhost:${server.tablePort}`;
    const service = new TableServiceClient(endpoint, keyCredential(server), {
      ...CLIENT_OPTIONS,
      additionalPolicies: [
        {
          position: 'perCall',
          policy: {
            name: 'localhost',
            sendRequest: (request, next) => {
              request.agent = agent;
              return next(request);
            },
          },
        },
      ],
    });
    const { geoReplication } = await service.getStatistics();
    assert.equal(geoReplication?.status, 'live');
    assert(geoReplication.lastSyncTime instanceof Date);
    agent.destroy();
  });
});

describeTargets('access policies', subject => {
  test('a table begins without any', async () => {
    const table = await makeTable(subject);
    assert.deepEqual([...(await table.getAccessPolicy())], []);
  });

  test('policies are read back as they were set, whole, partial and empty', async () => {
    const table = await makeTable(subject);
    const start = new Date('2026-01-02T03:04:05Z');
    const expiry = new Date('2036-01-02T03:04:05Z');
    const policies: SignedIdentifier[] = [
      { id: 'whole', accessPolicy: { start, expiry, permission: 'raud' } },
      { id: 'expiry only', accessPolicy: { expiry } },
      { id: 'permission only', accessPolicy: { permission: 'r' } },
      { id: 'nothing', accessPolicy: {} },
    ];
    await table.setAccessPolicy(policies);
    const got = await table.getAccessPolicy();
    assert.deepEqual(present([...got]), policies);
    await table.setAccessPolicy([]);
    assert.deepEqual([...(await table.getAccessPolicy())], []);
  });
});
