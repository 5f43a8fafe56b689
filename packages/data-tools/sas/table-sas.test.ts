// What a signature covers and what it may not: times, letters, keys, policies.
// test/data-tools/slow/survey-commands.test.ts checks that a server accepts it.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { parseAddress } from '../source/address.js';
import { ToolError } from '../source/tool-error.js';
import { type SasRequest, tableSasUrl } from './table-sas.js';

const KEY = Buffer.from('secret').toString('base64');
const ADDRESS = parseAddress(
  `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${KEY};EndpointSuffix=example.net`,
);
const NOW = Date.UTC(2026, 0, 1);

const NOTHING: SasRequest = {
  table: 'Orders',
  permissions: undefined,
  expires: undefined,
  fromKey: undefined,
  toKey: undefined,
  policy: undefined,
};
const made = (request: Partial<SasRequest>): URLSearchParams =>
  new URL(tableSasUrl(ADDRESS, { ...NOTHING, permissions: 'r', expires: '1h', ...request }, NOW))
    .searchParams;

test('a signature covers its fields', () => {
  const url = tableSasUrl(
    ADDRESS,
    { ...NOTHING, permissions: 'dur', expires: '1h', fromKey: 'a,1', toKey: 'b' },
    NOW,
  );
  assert(url.startsWith('https://shop.table.example.net/Orders?sv=2019-02-02&tn=Orders&sp=rud&se='), url);
  const query = new URL(url).searchParams;
  // The string to sign as the service documents it (docs/protocol/sas.md).
  const text = 'rud\n\n2026-01-01T01:00:00Z\n/table/shop/orders\n\n\nhttps\n2019-02-02\na\n1\nb\n';
  assert.equal(
    query.get('sig'),
    createHmac('sha256', Buffer.from(KEY, 'base64')).update(text).digest('base64'),
  );
});

test('times are relative or absolute, and a policy may replace them', () => {
  assert.equal(made({ expires: '90s' }).get('se'), '2026-01-01T00:01:30Z');
  assert.equal(made({ expires: '7d' }).get('se'), '2026-01-08T00:00:00Z');
  assert.equal(made({ expires: '2027-01-01' }).get('se'), '2027-01-01T00:00:00Z');
  const byPolicy = made({ permissions: undefined, expires: undefined, policy: 'readers' });
  assert.deepEqual([byPolicy.get('si'), byPolicy.get('sp'), byPolicy.get('se')], ['readers', null, null]);
});

test('keys may contain commas, and be empty', () => {
  const range = ({ fromKey, toKey }: Partial<SasRequest>): readonly (string | null)[] => {
    const query = made({ fromKey, toKey });
    return ['spk', 'srk', 'epk', 'erk'].map(name => query.get(name));
  };
  assert.deepEqual(range({ fromKey: 'a', toKey: 'a' }), ['a', null, 'a', null]);
  assert.deepEqual(range({ fromKey: 'a\\,b,c,d', toKey: 'b,x' }), ['a,b', 'c,d', 'b', 'x']);
  assert.deepEqual(range({ fromKey: '' }), [null, null, null, null]);
});

test('an invalid signature request is an error of usage', () => {
  const refuses = (request: Partial<SasRequest>, message: RegExp, address = ADDRESS): void => {
    assert.throws(
      () => tableSasUrl(address, { ...NOTHING, permissions: 'r', expires: '1h', ...request }, NOW),
      error => error instanceof ToolError && error.exit === 'usage' && message.test(error.message),
    );
  };
  for (const permissions of ['', 'x', 'rq']) refuses({ permissions }, /letters of raud/);
  for (const expires of ['1', 'h', '1w', 'soon', '2026-13-01']) refuses({ expires }, /--expires takes/);
  for (const expires of ['0s', '2025-12-31T23:59:59Z']) refuses({ expires }, /has passed/);
  refuses({ expires: undefined }, /needs --permissions and --expires/);
  refuses({ table: 'a b' }, /is not a table name/);
  refuses({ fromKey: 'b', toKey: 'a' }, /behind --to-key/);
  refuses({ toKey: 'a,' }, /an empty RowKey/);
  refuses({ toKey: '' }, /needs a PartitionKey/);
  refuses({}, /the address has none/, parseAddress('https://shop.table.example.net/?sv=2019-02-02&sig=AAAA'));
});
