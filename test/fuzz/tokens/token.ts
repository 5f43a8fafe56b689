// The fields of shared access signatures, of every kind, good and bad.
import fc from 'fast-check';
import { from, maybe, oneOf, seldom } from '../../random/arbitrary.js';
import { POLICY_IDS } from './policies.js';

/** In the order in which they go into the query. */
export type TokenFields = readonly (readonly [name: string, value: string])[];

type Field = fc.Arbitrary<TokenFields>;

const NO_FIELD = fc.constant<TokenFields>([]);
const field = (percent: number, name: string, value: fc.Arbitrary<string>): Field =>
  seldom<TokenFields>(
    percent,
    value.map(each => [[name, each]]),
    NO_FIELD,
  );
const fields = (...all: readonly Field[]): Field => fc.tuple(...all).map(each => each.flat());

const BAD_PERCENT = 10;
/** Values with spaces in between, and now and then bad ones. */
const mixed = (good: string, bad: string): fc.Arbitrary<string> =>
  seldom(BAD_PERCENT, from(bad.split(' ')), from(good.split(' ')));

const start = mixed(
  '2019-12-31 2020-01-01T00:00Z 2020-01-01T01:02:00Z 2020-01-01T02:02:00+01:00',
  '2020-01-01T01:02:01Z 2020-01-02 2021-01-01T00:00:00Z x 2020-13-01',
);
/** The last of the bad ones is empty. */
const expiry = mixed(
  '2020-01-02 2030-01-01T00:00:00Z 2020-01-01T01:02:01Z 2030-01-01T00:00:00.0000000Z',
  '2020-01-01T01:02:00Z 2020-01-01 2019-01-01T00:00:00Z x 2020-02-30 ',
);
const address = mixed(
  '127.0.0.1 127.0.0.0-127.0.0.255 0.0.0.0-255.255.255.255 10.0.0.1-10.0.0.9 10.0.0.5',
  '10.0.0.9-10.0.0.1 127.0.0.256 ::1 127.0.0.1- x',
);
const protocol = seldom(
  BAD_PERCENT,
  from(['http', 'HTTPS', 'https, http']),
  from(['https,http', 'https', 'http,https']),
);
const caller = fields(field(20, 'sip', address), field(30, 'spr', protocol));

/** Some of them in their order, at least one; half of the time all. */
const someLetters = (all: string): fc.Arbitrary<string> =>
  seldom(
    50,
    fc.subarray([...all], { minLength: 1 }).map(some => some.join('')),
    fc.constant(all),
  );

const ACCOUNT_VERSION = mixed(
  '2015-04-05 2019-02-02 2020-12-05 2020-12-06 2026-02-06',
  '2015-04-04 2014-02-14 x 2019-2-2',
);
const times = fields(field(40, 'st', start), field(97, 'se', expiry));

const accountTokenOf = (services: readonly string[], letters: string): Field =>
  fields(
    field(100, 'sv', ACCOUNT_VERSION),
    field(100, 'ss', from(services)),
    field(100, 'srt', someLetters('sco')),
    field(100, 'sp', someLetters(letters)),
    times,
    caller,
    field(10, 'ses', from(['scope', ''])),
  );
export const accountToken = accountTokenOf(['t', 'bqt', 'bfqt', 't', 'b'], 'rwdlacu');
export const blobAccountToken = accountTokenOf(['b', 'b', 'bqt', 'bt', 'qt'], 'rwdlact');

const permissions = seldom(BAD_PERCENT, from(['x', 'rx', 'ra ud']), someLetters('raud'));
const own = fields(field(97, 'sp', permissions), times);
const range = fields(
  field(70, 'spk', from(['a', 'b', 'c', ''])),
  field(60, 'srk', from(['1', '2', '9', ''])),
  field(70, 'epk', from(['b', 'c', 'd', ''])),
  field(60, 'erk', from(['2', '3', '0'])),
);
const version = mixed(
  '2012-02-12 2013-08-15 2015-02-20 2015-02-21 2015-04-05 2019-02-02 2026-02-06',
  '2012-02-11 2009-09-19 x ',
);

export const tableToken = fields(
  field(100, 'sv', version),
  field(100, 'tn', from(['People', 'People', 'people', 'PEOPLE', 'Other', 'Gone'])),
  // Mostly either its own permissions or those of a policy.
  oneOf(
    [63, fields(own, caller)],
    [25, fields(caller, field(100, 'si', from(POLICY_IDS)))],
    [10, fields(own, caller, field(100, 'si', from(POLICY_IDS)))],
    [2, caller],
  ),
  seldom(60, range, NO_FIELD),
);

const BLOB_VERSIONS =
  ' 2012-02-12 2013-08-15 2015-02-21 2015-04-05 2018-11-09 2020-02-10 2020-12-06 2021-12-02 2025-07-05 2026-04-06'.split(
    ' ',
  );
const blobPermissions = seldom(5, from(['raz', 'z']), someLetters('racwdlt'));
const blobOwn = fields(field(97, 'sp', blobPermissions), times);
const blobPolicy = fields(
  field(30, 'sp', blobPermissions),
  field(15, 'st', start),
  field(30, 'se', expiry),
  field(100, 'si', from(POLICY_IDS)),
);

/** Of a container, a blob or the snapshot, by the account's key or by a user delegation key, whose fields it has. */
export const blobToken = (delegated: readonly TokenFields[], snapshot: string): Field =>
  maybe(35, from(delegated)).chain(key => {
    const isFit = (version: string): boolean => key === undefined || version >= '2018-11-09';
    return from(BLOB_VERSIONS.filter(isFit)).chain(version =>
      fields(
        field(100, 'sv', fc.constant(version)),
        oneOf(
          [5, field(100, 'sr', from(['c', 'c', 'b', 'b', 'd']))],
          [
            1,
            fields(field(100, 'sr', from(['bs', 'bs', 'b'])), field(100, 'snapshot', fc.constant(snapshot))),
          ],
        ),
        key === undefined ? seldom(35, blobPolicy, blobOwn) : blobOwn,
        // Older versions do not sign them.
        version >= '2015-04-05' ? caller : NO_FIELD,
        field(10, 'rsct', fc.constant('text/x y')),
        fc.constant(key ?? []),
      ),
    );
  });
