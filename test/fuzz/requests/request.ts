// Whole requests: one of a corpus, with headers of others, damaged in some of its parts, and then signed, so that damages
// get past authentication. tokens/ has credentials of all kinds.
import fc from 'fast-check';
import { below, chance, from, maybe, oneOf, seldom, several } from '../../random/arbitrary.js';
import { accountSas, sharedKeyLite } from '../../simulation/run/signing.js';
import { ACCOUNT, DATE, percentEncode } from '../world.js';
import { CORPORA, type Corpus, type Seed } from './corpus.js';
import { mutations } from './mutate.js';
import { phrase } from './phrase.js';

export interface FuzzRequest {
  readonly service: Corpus['service'];
  readonly method: string;
  readonly target: string;
  /** Names in lower case, as the server hands them on. */
  readonly headers: Readonly<Record<string, string>>;
  /** A character for each byte. */
  readonly body: string;
}

const TARGET_LENGTH_MAX = 60_000;
const HEADER_LENGTH_MAX = 8_000;
const SERVICES = { table: 't', queue: 'q', blob: 'b' } as const;

/** Percent-encodes what a request line cannot contain. */
const inTarget = (text: string): string => text.replace(/[^!-~]/gu, percentEncode);
/** Drops what a header cannot contain. */
const inHeader = (text: string): string =>
  text
    .replace(/[^\t -~\u0080-\u00ff]/g, '')
    .trim()
    .slice(0, HEADER_LENGTH_MAX);

type Headers = fc.Arbitrary<readonly (readonly [name: string, value: string])[]>;

const headersOf = (headers: Readonly<Record<string, string>> = {}): Headers =>
  fc.tuple(...Object.entries(headers).map(([name, value]) => fc.tuple(phrase(name), phrase(value))));

function moreOf({ more }: Corpus): Headers {
  const one = oneOf(
    ...Object.entries(more).map(([name, value]) => [1, fc.tuple(phrase(name), phrase(value))] as const),
  );
  return seldom<readonly (readonly [string, string])[]>(25, several(one, 1, 3), fc.constant([]));
}

const damage = fc.record({
  path: mutations(5),
  query: mutations(6),
  header: mutations(5),
  /** Modulo the headers. */
  headerAt: below(64),
  isHeaderDropped: chance(1),
  body: mutations(12),
  account: maybe(3, from([`${ACCOUNT}-secondary`, 'nobody', '__proto__', ''])),
  isAbsolute: chance(1),
});

function requestOf(corpus: Corpus, [line, body = '', headers]: Seed): fc.Arbitrary<FuzzRequest> {
  const { service, host, version } = corpus;
  const whole = accountSas(SERVICES[service]);
  const sas = oneOf(
    [94, fc.constant(whole)],
    [3, mutations(100).map(change => change(whole))],
    [3, fc.constant('')],
  );
  const parts = fc.tuple(
    phrase(line),
    phrase(body),
    headersOf(corpus.headers),
    headersOf(headers),
    moreOf(corpus),
  );
  // Policies of tables need a key.
  const credentials = service === 'table' ? seldom(25, sas, fc.constant(undefined)) : sas;
  return fc
    .tuple(parts, damage, maybe(2, from(corpus.methods.split('|'))), phrase(version), credentials)
    .map(([[line, body, usual, own, more], change, otherMethod, version, sas]) => {
      const [, method = '', named = '', query = ''] = /^(\S+) ([^?]*)\??(.*)$/s.exec(line) ?? [];
      const bytes = change.body(Buffer.from(body).toString('latin1'));
      // A map, because `__proto__` can be a header's name too.
      const all = new Map([['host', host], ['x-ms-version', version], ...usual, ...own, ...more]);
      const changed = [...all.keys()][change.headerAt % all.size] ?? '';
      all.set(changed, change.header(all.get(changed) ?? ''));
      if (change.isHeaderDropped) all.delete(changed);
      const options = [change.query(query), sas ?? ''].filter(each => each !== '').join('&');
      const path = `/${change.account ?? ACCOUNT}/${change.path(named)}${options === '' ? '' : `?${options}`}`;
      const target = inTarget(path).slice(0, TARGET_LENGTH_MAX);
      if (sas === undefined) all.set('x-ms-date', DATE).set('authorization', sharedKeyLite(target, DATE));
      const sent = [...all].map(([name, value]) => [name, inHeader(value)] as const);
      return {
        service,
        method: otherMethod ?? method,
        target: change.isAbsolute ? `http://${host}${target}` : target,
        headers: Object.fromEntries([...sent, ['content-length', String(bytes.length)]]),
        body: bytes,
      };
    });
}

const ofCorpus = (corpus: Corpus): fc.Arbitrary<FuzzRequest> =>
  oneOf(...corpus.seeds.map(seed => [1, requestOf(corpus, seed)] as const));

/** To any service, those to tables as often as those to both others. */
export const requests: fc.Arbitrary<FuzzRequest> = oneOf(
  ...CORPORA.map(corpus => [corpus.service === 'table' ? 2 : 1, ofCorpus(corpus)] as const),
);
