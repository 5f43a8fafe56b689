// The value of --trusted-proxy.
import { InvalidArgumentError } from 'commander';
import { ConfigurationError } from '#server';
import { checkTrustedProxies } from '#server/parts';

/** An address or a range of addresses. */
export function parseProxy(text: string): string {
  try {
    checkTrustedProxies([text]);
  } catch (error) {
    if (error instanceof ConfigurationError) throw new InvalidArgumentError(error.message);
    throw error;
  }
  return text;
}
