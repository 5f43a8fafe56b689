// Parses a role, an option of the command.
import { InvalidArgumentError } from 'commander';
import type { Role } from '#server';
import { isRole, ROLES } from '#server/parts';

export function parseRole(text: string): Role {
  if (!isRole(text)) throw new InvalidArgumentError(`One of: ${ROLES.join(', ')}.`);
  return text;
}
