// Parses --trusted-proxy: addresses and ranges of addresses, one by one.
import { InvalidArgumentError } from 'commander';
import { ConfigurationError } from '#server';
import { checkTrustedProxies } from '#server/parts';

/** @param before the previously named ones. */
export function parseProxies(text: string, before: readonly string[] = []): readonly string[] {
  try {
    checkTrustedProxies([text]);
  } catch (error) {
    if (error instanceof ConfigurationError) throw new InvalidArgumentError(error.message);
    throw error;
  }
  return [...before, text];
}
