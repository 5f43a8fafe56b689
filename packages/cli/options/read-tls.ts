// The certificate and key of --cert and --key, read and tried once, so that a wrong file is told before anything is served.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigurationError, type ServeOptions } from '#server';
import { textOf } from '../fail.js';

function readPem(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigurationError(`${flag} names a file that cannot be read: ${textOf(error)}`);
  }
}

/** Undefined without both. @throws ConfigurationError for one without the other, and for files that are no pair. */
export function readTls({
  cert,
  key,
}: {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}): ServeOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new ConfigurationError('--cert and --key go together.');
  const pair = { cert: readPem('--cert', cert), key: readPem('--key', key) };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new ConfigurationError(
      `${cert} and ${key} cannot be used as certificate and key: ${String(error)}`,
    );
  }
  return pair;
}
