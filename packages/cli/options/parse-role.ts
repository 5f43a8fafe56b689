// A role as an option of the command gives it.
import { InvalidArgumentError } from 'commander';
import { isRole, ROLES, type Role } from '#server';

export function parseRole(text: string): Role {
  if (!isRole(text)) throw new InvalidArgumentError(`One of: ${Object.keys(ROLES).join(', ')}.`);
  return text;
}
