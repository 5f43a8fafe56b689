// A whole request to the Blob service: an operation with a SAS of the account, some parts mutated, the SAS too.
import type { Random } from '../../simulation/plan/random.js';
import { accountSas } from '../../simulation/run/signing.js';
import { ACCOUNT } from '../credentials.js';
import { someBlobOperation } from '../texts/blob-text.js';
import { mutate, mutateBytes } from '../texts/mutate.js';
import { type FuzzRequest, inHeader, inTarget } from './some-request.js';

export const BLOB_HOST = '127.0.0.1:10000';
const VERSIONS = ['2019-12-12', '2021-12-02', '2024-11-04', '2025-05-05', '2012-02-12', '2015-02-21', 'x'];
const SAS = accountSas('b');
const TARGET_LENGTH_MAX = 60_000;

export function someBlobRequest(random: Random): FuzzRequest {
  const sas = random.happens(0.9) ? SAS : random.pick([mutate(random, SAS), '', `${SAS}&sv=2015-04-05`]);
  const sound = someBlobOperation(random, sas);
  const seldom = (): boolean => random.happens(0.05);
  const path = seldom() ? mutate(random, sound.path) : sound.path;
  const query = seldom() ? mutate(random, sound.query) : sound.query;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(sound.headers))
    headers[name] = inHeader(seldom() ? mutate(random, value) : value);
  const options = [query, sas].filter(each => each !== '').join('&');
  const plain = Buffer.from(sound.body);
  const body = random.happens(0.1) ? mutateBytes(random, plain) : plain;
  return {
    service: 'blob',
    method: seldom()
      ? random.pick(['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'])
      : sound.method,
    target: inTarget(`/${ACCOUNT}/${path}${options === '' ? '' : `?${options}`}`).slice(0, TARGET_LENGTH_MAX),
    headers: {
      host: BLOB_HOST,
      'x-ms-version': random.pick(random.happens(0.97) ? VERSIONS.slice(0, -1) : VERSIONS),
      'content-length': String(body.length),
      ...headers,
    },
    body,
  };
}
