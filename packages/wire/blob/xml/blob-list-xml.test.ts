// Blobs, prefixes, matches and containers as entries of lists: names that XML cannot hold, properties in the recorded order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseState } from '#blobs';
import type { Header } from '../../shared/answer.js';
import { parseXml } from '../../shared/xml.js';
import { formatListedBlob } from './blob-list-xml.js';
import { addLeaseHeaders, formatLease } from './lease-elements.js';

const SHOWN = { included: new Set<string>(), version: '2019-02-02' };

const prefixOf = (name: string): string => formatListedBlob({ kind: 'prefix', name }, SHOWN);

test('names are escaped, and encoded where XML has no such character', () => {
  for (const [name, element] of [
    ['a/<b>&"c\'', `<Name>a/&lt;b&gt;&amp;"c'</Name>`],
    [' a ', '<Name> a </Name>'],
    ['😀', '<Name>😀</Name>'],
    ['a\r\n\tb', '<Name>a&#xD;\n\tb</Name>'],
    ['a%20', '<Name>a%20</Name>'],
    ['\uffff', '<Name Encoded="true">%EF%BF%BF</Name>'],
    ['\0', '<Name Encoded="true">%00</Name>'],
    ['a/ \u001f', '<Name Encoded="true">a%2F%20%1F</Name>'],
    ['\r\ufffe', '<Name Encoded="true">%0D%EF%BF%BE</Name>'],
  ] as const)
    assert.equal(prefixOf(name), `<BlobPrefix>${element}</BlobPrefix>`);
});

test('a parser reads every name as it is', () => {
  for (const name of ['\r', '\r\n', 'a\rb', '\n', '\t', ' ', '<', '&amp;', ']]>', '\u0085', '\u2028', '😀'])
    assert.equal(parseXml(Buffer.from(prefixOf(name))).children[0]?.text, name, JSON.stringify(name));
});

const LEASES: readonly (readonly [state: LeaseState['state'], status: string])[] = [
  ['available', 'unlocked'],
  ['leased', 'locked'],
  ['breaking', 'locked'],
  ['broken', 'unlocked'],
  ['expired', 'unlocked'],
];

test('every state of a lease, in lists and in headers', () => {
  for (const [state, status] of LEASES) {
    const duration = state === 'leased' ? 'fixed' : undefined;
    const headers: Header[] = [];
    addLeaseHeaders({ state, duration }, headers);
    const [first = [], second = [], ...more] = headers;
    assert.deepEqual(
      [first[1], second[1], more.map(([, value]) => value)],
      [status, state, duration ? ['fixed'] : []],
    );
    const element = `<LeaseStatus>${status}</LeaseStatus>`;
    assert.equal(formatLease({ state, duration }, '2012-02-11'), element);
    const rest = duration ? '<LeaseDuration>fixed</LeaseDuration>' : '';
    const whole = `${element}<LeaseState>${state}</LeaseState>${rest}`;
    assert.equal(formatLease({ state, duration }, '2012-02-12'), whole);
  }
});
