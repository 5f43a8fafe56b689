// Parses a role, an option of the command.
import { InvalidArgumentError } from 'commander';
import { isRole, ROLES, type Role } from '#server';

export function parseRole(text: string): Role {
  if (!isRole(text)) throw new InvalidArgumentError(`One of: ${ROLES.join(', ')}.`);
  return text;
}
