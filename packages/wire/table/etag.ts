// ETags: a row's version in the form that Azure gives it, and If-Match read back (protocol: entities#etags, entities#conditions).
import { formatDateTime, parseDateTime } from '#base';
import { type Condition, TableError } from '#tables';

/** A time by `formatDateTime` as it stands in an ETag: only the colons, whose places are fixed, are percent-encoded. */
export const etagTime = (time: string): string =>
  `${time.slice(0, 13)}%3A${time.slice(14, 16)}%3A${time.slice(17)}`;

// What a changeset wrote has one version.
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

/** A weak etag that is no time of ours is well formed and matches nothing; anything else is refused. */
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
