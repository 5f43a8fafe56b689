// Shared access signatures of queues: known signatures (protocol: sas#examples), older forms, and malformed ones.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { parseQueueSas, queueSasStringToSign } from './queue-sas.js';
import { accountSasStringToSign, isAccountSas, parseAccountSas } from './sas.js';

const KEY = Buffer.from(
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'base64',
);
const ACCOUNT = 'devstoreaccount1';
const TIMES = 'st=2026-01-01T00:00:00Z&se=2030-01-01T00:00:00Z';

/** Well formed; these tests do not verify it. */
const SIGNATURE = `${'A'.repeat(43)}=`;

const parse = (text: string) => parseQueueSas(new Map(new URLSearchParams(`${text}&sig=${SIGNATURE}`)), 'q1');

function textOf(query: string): string {
  const parameters = new Map(new URLSearchParams(`${query}&sig=${SIGNATURE}`));
  return isAccountSas(parameters)
    ? accountSasStringToSign(parseAccountSas(parameters), ACCOUNT)
    : queueSasStringToSign(parseQueueSas(parameters, 'q1'), ACCOUNT);
}

const signatureOf = (query: string): string =>
  createHmac('sha256', KEY).update(textOf(query)).digest('base64');

test('a queue', () => {
  assert.equal(signatureOf(`sv=2020-12-06&sp=raup&${TIMES}`), 'JQW7i0mtIfGAGUfSWWRtWhDBe3VOtLNGjdEey98tj2Y=');
});

test('a queue, in the form of each version', () => {
  const expected = {
    '2012-02-12': 'eHpa9u1qvxR4BUn00L+v0FdgzMxvKiHOgTlfUaejae4=',
    '2014-02-14': 'dYEz1aO56XzMZ4UG3k5iVrMPx3w9dVYi1KtixTIyz6Y=',
    '2015-02-21': 'dwHs5RDleqEL/rs3MpCuwhSMDcfllndjY2DDwrWi904=',
    '2015-04-05': 'fezRxs2dGFeKipNd0ftnc8ojrprFtj+NwHmlma5+p2E=',
  };
  for (const [version, signature] of Object.entries(expected))
    assert.equal(signatureOf(`sv=${version}&sp=raup&${TIMES}`), signature, version);
});

test('an account, without and with the line of the encryption scope', () => {
  const fields = `sp=rwdlacup&ss=bq&srt=sco&spr=https,http&${TIMES}`;
  assert.equal(signatureOf(`${fields}&sv=2018-11-09`), 'GXr/MV+kIgZnB5rvxKlM7qU9Oz0/WCXMo3/9MIrdqOk=');
  assert.equal(signatureOf(`${fields}&sv=2026-04-06`), 'xbRaQ5D8Ea+8CG4bE5vty4d7YUufstjMxKWoSwfZ/us=');
});

test('versions differ in the resource and in addresses', () => {
  const text = (sv: string) => textOf(`sv=${sv}&sp=r&se=2030-01-01&si=p&sip=10.0.0.1&spr=https`).split('\n');
  assert.deepEqual(text('2015-04-05').slice(3), [
    '/queue/devstoreaccount1/q1',
    'p',
    '10.0.0.1',
    'https',
    '2015-04-05',
  ]);
  assert.deepEqual(text('2015-02-21').slice(3), ['/queue/devstoreaccount1/q1', 'p', '2015-02-21']);
  assert.deepEqual(text('2014-02-14').slice(3), ['/devstoreaccount1/q1', 'p', '2014-02-14']);
});

test('letters come in any order, and no others', () => {
  for (const letters of ['raup', 'puar', 'r', ''])
    assert.doesNotThrow(() => parse(`sv=2020-12-06&sp=${letters}`));
  for (const letters of ['rd', 'raupw', 'R'])
    assert.throws(
      () => parse(`sv=2020-12-06&sp=${letters}`),
      error => error instanceof ServiceError && error.code === 'AuthenticationFailed:Sas',
    );
});
