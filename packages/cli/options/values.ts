// Values of options, each parsed from its text or refused with what it may be.
import { InvalidArgumentError } from 'commander';
import { ConfigurationError, type Role } from '#server';
import { checkTrustedProxies, isRole, ROLES } from '#server/parts';

/** For an option that may be given several times: adds its value to those before. */
export const each =
  <Value>(parse: (text: string) => Value) =>
  (text: string, before: readonly Value[] = []): readonly Value[] => [...before, parse(text)];

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

export function parseRole(text: string): Role {
  if (!isRole(text)) throw new InvalidArgumentError(`One of: ${ROLES.join(', ')}.`);
  return text;
}
