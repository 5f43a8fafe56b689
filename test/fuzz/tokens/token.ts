// Shared access signatures with fields of every kind, good and bad, signed by the rules or by other rules.
import { createHmac } from 'node:crypto';
import type { Random } from '../../simulation/plan/random.js';
import { POLICIES } from './policies.js';

/** In the order in which they go into the query. */
type TokenFields = readonly (readonly [name: string, value: string])[];

const optional = (random: Random, share: number, name: string, values: readonly string[]): TokenFields =>
  random.happens(share) ? [[name, random.pick(values)]] : [];

const STARTS = ['2019-12-31', '2020-01-01T00:00Z', '2020-01-01T01:02:00Z', '2020-01-01T02:02:00+01:00'];
const BAD_STARTS = ['2020-01-01T01:02:01Z', '2020-01-02', '2021-01-01T00:00:00Z', 'x', '2020-13-01'];
const EXPIRIES = [
  '2020-01-02',
  '2030-01-01T00:00:00Z',
  '2020-01-01T01:02:01Z',
  '2030-01-01T00:00:00.0000000Z',
];
const BAD_EXPIRIES = ['2020-01-01T01:02:00Z', '2020-01-01', '2019-01-01T00:00:00Z', 'x', '', '2020-02-30'];
const ADDRESSES = [
  '127.0.0.1',
  '127.0.0.0-127.0.0.255',
  '0.0.0.0-255.255.255.255',
  '10.0.0.1-10.0.0.9',
  '10.0.0.5',
];
const BAD_ADDRESSES = ['10.0.0.9-10.0.0.1', '127.0.0.256', '::1', '127.0.0.1-', 'x'];
const BAD_SHARE = 0.1;

const mixed = (
  random: Random,
  share: number,
  name: string,
  good: readonly string[],
  bad: readonly string[],
): TokenFields => optional(random, share, name, random.happens(BAD_SHARE) ? bad : good);

const letters = (random: Random, all: string): string =>
  random.happens(0.5) ? all : random.some([...all], random.between(1, all.length)).join('');

function caller(random: Random): TokenFields {
  return [
    ...mixed(random, 0.2, 'sip', ADDRESSES, BAD_ADDRESSES),
    ...mixed(random, 0.3, 'spr', ['https,http', 'https', 'http,https'], ['http', 'HTTPS', 'https, http']),
  ];
}

export function someAccountToken(random: Random): TokenFields {
  return [
    [
      'sv',
      random.pick(
        random.happens(BAD_SHARE)
          ? ['2015-04-04', '2014-02-14', 'x', '2019-2-2']
          : ['2015-04-05', '2019-02-02', '2020-12-05', '2020-12-06', '2026-02-06'],
      ),
    ],
    ['ss', random.pick(['t', 'bqt', 'bfqt', 't', 'b'])],
    ['srt', letters(random, 'sco')],
    ['sp', letters(random, 'rwdlacu')],
    ...mixed(random, 0.4, 'st', STARTS, BAD_STARTS),
    ...mixed(random, 0.97, 'se', EXPIRIES, BAD_EXPIRIES),
    ...caller(random),
    ...optional(random, 0.1, 'ses', ['scope', '']),
  ];
}

const POLICY_IDS = [...POLICIES.keys(), 'missing'];

export function someTableToken(random: Random): TokenFields {
  const hasPolicy = random.happens(0.35);
  const own = random.happens(hasPolicy ? 0.3 : 0.97);
  const range = random.happens(0.6);
  return [
    [
      'sv',
      random.pick(
        random.happens(BAD_SHARE)
          ? ['2012-02-11', '2009-09-19', 'x', '']
          : [
              '2012-02-12',
              '2013-08-15',
              '2015-02-20',
              '2015-02-21',
              '2015-04-05',
              '2019-02-02',
              '2026-02-06',
            ],
      ),
    ],
    ['tn', random.pick(['People', 'People', 'people', 'PEOPLE', 'Other', 'Gone'])],
    ...(own ? mixed(random, 0.97, 'sp', [letters(random, 'raud')], ['x', 'rx', 'ra ud']) : []),
    ...(own ? mixed(random, 0.4, 'st', STARTS, BAD_STARTS) : []),
    ...(own ? mixed(random, 0.97, 'se', EXPIRIES, BAD_EXPIRIES) : []),
    ...caller(random),
    ...(hasPolicy ? optional(random, 1, 'si', POLICY_IDS) : []),
    ...(range ? optional(random, 0.7, 'spk', ['a', 'b', 'c', '']) : []),
    ...(range ? optional(random, 0.6, 'srk', ['1', '2', '9', '']) : []),
    ...(range ? optional(random, 0.7, 'epk', ['b', 'c', 'd', '']) : []),
    ...(range ? optional(random, 0.6, 'erk', ['2', '3', '0']) : []),
  ];
}

const lines = (fields: TokenFields, names: string): string[] => {
  const byName = new Map(fields);
  return names.split(' ').map(name => byName.get(name) ?? '');
};

/** The rules for making a signature; only those of its version are right. */
export type Rules = 'account' | 'accountWithScope' | 'table' | 'tableWithoutAddress' | 'tableWithoutService';

function rulesOf(fields: TokenFields): Rules {
  const byName = new Map(fields);
  const version = byName.get('sv') ?? '';
  if (byName.has('ss')) return version >= '2020-12-06' ? 'accountWithScope' : 'account';
  if (version >= '2015-04-05') return 'table';
  return version >= '2015-02-21' ? 'tableWithoutAddress' : 'tableWithoutService';
}

function textToSign(fields: TokenFields, account: string, rules: Rules): string {
  if (rules === 'account' || rules === 'accountWithScope') {
    const names = `sp ss srt st se sip spr sv${rules === 'account' ? '' : ' ses'}`;
    return `${[account, ...lines(fields, names)].join('\n')}\n`;
  }
  const table = new Map(fields).get('tn') ?? '';
  const resource = `${rules === 'tableWithoutService' ? '' : '/table'}/${account}/${table.toLowerCase()}`;
  const names = `si${rules === 'table' ? ' sip spr' : ''} sv spk srk epk erk`;
  return [...lines(fields, 'sp st se'), resource, ...lines(fields, names)].join('\n');
}

export const signToken = (
  fields: TokenFields,
  account: string,
  key: Buffer,
  rules = rulesOf(fields),
): string =>
  createHmac('sha256', key)
    .update(textToSign(fields, account, rules))
    .digest('base64');
