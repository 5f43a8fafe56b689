// ETags: formats a row's version as Azure does, and parses If-Match (protocol: entities#etags, entities#conditions).
import { formatDateTime, parseDateTime } from '#base';
import { type Condition, TableError } from '#tables';

/** A time by `formatDateTime` in the form of an ETag: only the colons, whose positions are fixed, are percent-encoded. */
export const etagTime = (time: string): string =>
  `${time.slice(0, 13)}%3A${time.slice(14, 16)}%3A${time.slice(17)}`;

// The rows of a changeset have one version, so the last text is cached.
let lastVersion = 0n;
let lastEtag = `W/"datetime'${etagTime(formatDateTime(lastVersion))}'"`;

export function formatEtag(version: bigint): string {
  if (version === lastVersion) return lastEtag;
  lastVersion = version;
  lastEtag = `W/"datetime'${etagTime(formatDateTime(version))}'"`;
  return lastEtag;
}

const ETAG = /^W\/"(.*)"$/;
const DATE_TIME_ETAG = /^datetime'(.*)'$/;

/** A weak etag that is not a version is well-formed and matches nothing; any other text is refused. */
export function parseCondition(text: string): Condition {
  if (text === '*') return { kind: 'any' };
  const tag = ETAG.exec(text)?.[1];
  if (tag === undefined || tag.includes('"')) throw new TableError('InvalidInput:Etag', { etag: text });
  const time = DATE_TIME_ETAG.exec(tag)?.[1];
  return {
    kind: 'version',
    version: time === undefined ? undefined : parseDateTime(time.replaceAll(/%3a/gi, ':')),
  };
}
