// Shared access signatures made by hand, for the versions that the official client does not sign (protocol: sas).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, test } from 'node:test';
import { inAccount, type RawResponse, rawRequest } from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

/** Without fractions of a second, as in signatures. */
const inMinutes = (minutes: number): string =>
  new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');

describeTargets('SAS versions', subject => {
  let table = '';

  const signed = (fields: Readonly<Record<string, string>>, text: string): URLSearchParams => {
    const key = Buffer.from(subject.server.account.key, 'base64');
    const sig = createHmac('sha256', key).update(text, 'utf8').digest('base64');
    return new URLSearchParams({ ...fields, sig });
  };
  const ofAccount = (sv: string, se = inMinutes(60)): URLSearchParams => {
    const scope = sv >= '2020-12-06' ? '\n' : '';
    const text = `${subject.server.account.name}\nr\nt\no\n\n${se}\n\n\n${sv}\n${scope}`;
    return signed({ sv, ss: 't', srt: 'o', sp: 'r', se }, text);
  };
  const ofTable = (sv: string, se = inMinutes(60)): URLSearchParams => {
    const resource = `${sv >= '2015-02-21' ? '/table' : ''}/${subject.server.account.name}/${table}`;
    const addressAndProtocol = sv >= '2015-04-05' ? '\n\n' : '';
    const text = `r\n\n${se}\n${resource}\n\n${addressAndProtocol}${sv}\n\n\n\n`;
    return signed({ sv, tn: table, sp: 'r', se }, text);
  };
  const list = (parameters: URLSearchParams): Promise<RawResponse> =>
    rawRequest(subject.server, {
      method: 'GET',
      target: inAccount(subject.server, `/${table}()?${parameters}`),
      sign: 'none',
    });

  before(async () => {
    table = subject.newTableName();
    const body = JSON.stringify({ TableName: table });
    const target = inAccount(subject.server, '/Tables');
    await rawRequest(subject.server, { method: 'POST', target, body });
  });

  test('an account signs one line more from 2020-12-06 on', async () => {
    for (const version of ['2015-04-05', '2019-02-02', '2020-10-02', '2020-12-06', '2026-10-06'])
      assert.equal((await list(ofAccount(version))).status, 200, version);
  });

  test('a table signs its service from 2015-02-21 on, address and protocol from 2015-04-05 on', async () => {
    for (const version of [
      '2013-08-15',
      '2014-02-14',
      '2015-02-21',
      '2015-04-05',
      '2019-02-02',
      '2026-10-06',
    ])
      assert.equal((await list(ofTable(version))).status, 200, version);
  });

  test('an expired one is reported as such, in the detail', async () => {
    for (const parameters of [ofAccount('2019-02-02', inMinutes(-1)), ofTable('2019-02-02', inMinutes(-1))]) {
      const { status, body } = await list(parameters);
      assert.equal(status, 403);
      assert.match(
        body,
        /<m:code>AuthenticationFailed<[\s\S]*<m:AuthenticationErrorDetail>Signed expiry time \[.* GMT\] must be after signed start time \[.* GMT\]</,
      );
    }
  });

  test('what was signed cannot be changed', async () => {
    for (const [name, value] of [
      ['sp', 'raud'],
      ['se', inMinutes(600)],
      ['sv', '2018-03-28'],
      ['st', inMinutes(-1)],
      ['sip', '127.0.0.1'],
    ] as const) {
      for (const parameters of [ofAccount('2019-02-02'), ofTable('2019-02-02')]) {
        parameters.set(name, value);
        const { status, body } = await list(parameters);
        assert.equal(status, 403, name);
        assert.match(body, /<m:code>AuthenticationFailed</);
      }
    }
  });
});
