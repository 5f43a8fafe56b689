// A place in a container of blobs, given instead of a directory: the URL of the container, or of a folder in it, with a
// SAS. Its name has no signature.
import { Address, checkedUrl, isPathStyle, toldText } from './address.js';
import { ToolError } from './tool-error.js';

export interface ContainerPlace {
  readonly address: Address;
  readonly container: string;
  /** Empty, or a folder with its slash. */
  readonly prefix: string;
}

const BLOB_PORT = '10000';
const URL_START = /^https?:\/\//i;

/** Whether a URL with a SAS is one of the Blob service: the table service has such URLs too. */
const isOfBlobs = (url: URL): boolean =>
  url.searchParams.get('sr') === 'c' || url.hostname.split('.')[1] === 'blob' || url.port === BLOB_PORT;

/**
 * Undefined if it is not a URL, and so a directory.
 *
 * @param isSure whether a URL can be nothing else here.
 * @throws ToolError usage, for a URL without a SAS or a container, and for that of a table. No message repeats it.
 */
export function containerPlace(told: string, isSure: boolean): ContainerPlace | undefined {
  const isFile = told.startsWith('@');
  if (!isFile && !URL_START.test(told)) return undefined;
  const text = toldText(told).trim();
  if (!URL_START.test(text)) return undefined;
  const url = checkedUrl(text, 'The address of the container');
  if (!isSure && !isOfBlobs(url)) return undefined;
  if (url.searchParams.has('tn'))
    throw new ToolError('usage', `The URL of ${url.host} has the SAS of a table, not of a container.`);
  const segments = url.pathname
    .split('/')
    .filter(each => each !== '')
    .map(decodeURIComponent);
  const account = isPathStyle(url) ? segments.shift() : url.hostname.split('.')[0];
  const [container, ...folders] = segments;
  if (account === undefined || container === undefined) {
    if (!isSure) return undefined;
    throw new ToolError('usage', `The URL of ${url.host} names no container.`);
  }
  if (!url.searchParams.has('sig'))
    throw new ToolError(
      'usage',
      `The URL of container ${container} at ${url.host} has no SAS: it lacks sig.`,
    );
  const blob = isPathStyle(url) ? `${url.origin}/${account}` : url.origin;
  return {
    address: new Address(account, { table: undefined, queue: undefined, blob }, { sas: url.search.slice(1) }),
    container,
    prefix: folders.map(each => `${each}/`).join(''),
  };
}
