// Texts that have broken servers before: names that JavaScript objects already have, ends of ranges, characters that
// some layer escapes or treats as a terminator.

/** Each is a plain name to the service. */
export const ODD_NAMES =
  '__proto__ constructor prototype toString valueOf hasOwnProperty __defineGetter__'.split(' ');

/** Those that tables may also have. */
export const ODD_TABLE_NAMES = ODD_NAMES.filter(name => !name.startsWith('_'));

const IN_URLS = `% %00 %2 %C3 %C3%A9 %ED%A0%80 %F0%9F%98%80 %2F %5C %23 %3F %27 %2527 + & = ? # / \\ ( ) ()
  ' '' , ; : * ~ . .. // $ @ [ ] | ^ \` { } < >`.split(/\s+/);
const IN_HEADERS = `* close keep-alive chunked gzip W/ W/"" W/"x" "x" application/json application/atom+xml
  text/plain multipart/mixed boundary= boundary="" charset=utf-8 odata=fullmetadata odata=x ;;; ,,, MERGE 2013-08-14
  2019-02-02 9999-99-99 bytes=0-1 100-continue return-content identity q=0 \u00e9 \u00ff`.split(/\s+/);
const IN_JSON =
  `{ } [ ] [[ , : " \\ \\" \\u \\ud800 \\udc00\\ud800 \\u0000 \\n \\x null true false nul NaN -Infinity - -0 0 00
  0.0 1. .5 1e5 1e999 -1e-999 5e-324 2147483647 2147483648 -2147483649 9223372036854775808 123456789012345678901234567890
  "" "a" {"a":1} [1] @odata.type "Edm.Int64" "Edm.Guid" "Edm.Binary" "Edm.DateTime" "Edm.Decimal" odata.etag PartitionKey
  RowKey Timestamp \ufeff /**/ 'x'`.split(/\s+/);
const IN_XML =
  `<!DOCTYPE <!ENTITY <!-- --> <![CDATA[ ]]> &amp; &#0; &#x1F600; &x; <? ?> </ /> xmlns= <Id> </Id> <Id/>
  <Cors> <CorsRule> <Permission> raud <Start> \ufffe`.split(/\s+/);
const IN_BATCHES = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', '--b', '--c', '--c--', '--b--', '--', 'HTTP/1.1', 'HTTP/9.9'],
  'Content-ID: 1',
];
const IN_FILTERS =
  `eq ne lt and or not ( ) 5L 1.5d datetime'2020-01-01T00:00:00Z' datetime'x' datetime'9999-12-31T23:59:59.9999999Z'
  guid'c9da6455-213d-42c9-9a79-3e9149a57833' guid'' X'00ff' X'0' binary'' 'x' '' null true INF NaN -INF startswith(a,'b')
  Timestamp PartitionKey RowKey === add`.split(/\s+/);
const IN_TEXT = [
  ...['\0', '\t', ' ', '\u007f', '\u0085', '\u2028', '\ufeff', '\uffff', '\u{1f600}', '\ud800'],
  ...['é', 'İ', 'ß', '\u212a', 'a'],
];

export const ODD_TEXTS: readonly string[] = [
  ...ODD_NAMES,
  ...IN_URLS,
  ...IN_HEADERS,
  ...IN_JSON,
  ...IN_XML,
  ...IN_BATCHES,
  ...IN_FILTERS,
  ...IN_TEXT,
];
