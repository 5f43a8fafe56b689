// A whole request to the Blob service: an operation with a SAS of the account, some parts mutated, the SAS too.
import fc from 'fast-check';
import { from, maybe, oneOf, seldom } from '../../random/arbitrary.js';
import { accountSas } from '../../simulation/run/signing.js';
import { ACCOUNT } from '../credentials.js';
import { blobOperation } from '../texts/blob-text.js';
import { mutations } from '../texts/mutate.js';
import { bytesOf, type FuzzRequest, inHeader, inTarget } from './some-request.js';

export const BLOB_HOST = '127.0.0.1:10000';
const VERSION = seldom(
  1,
  fc.constant('x'),
  from(['2019-12-12', '2021-12-02', '2024-11-04', '2025-05-05', '2012-02-12', '2015-02-21']),
);
const METHOD = from(['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']);
const SAS = accountSas('b');
const TARGET_LENGTH_MAX = 60_000;

const sas = oneOf(
  [90, fc.constant(SAS)],
  [4, mutations(100).map(change => change(SAS))],
  [6, from(['', `${SAS}&sv=2015-04-05`])],
);

export const blobRequests: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    sas,
    blobOperation,
    fc.tuple(mutations(5), mutations(5), mutations(5), mutations(10)),
    maybe(5, METHOD),
    VERSION,
  )
  .map(([sas, operation, [inPath, inQuery, inHeaders, inBody], method, version]) => {
    const sound = operation(sas);
    const options = [inQuery(sound.query), sas].filter(each => each !== '').join('&');
    const body = inBody(bytesOf(sound.body));
    const headers: Record<string, string> = {
      host: BLOB_HOST,
      'x-ms-version': version,
      'content-length': String(body.length),
    };
    for (const [name, value] of Object.entries(sound.headers)) headers[name] = inHeader(inHeaders(value));
    const target = `/${ACCOUNT}/${inPath(sound.path)}${options === '' ? '' : `?${options}`}`;
    return {
      service: 'blob',
      method: method ?? sound.method,
      target: inTarget(target).slice(0, TARGET_LENGTH_MAX),
      headers,
      body,
    };
  });
