// The text of a port.
import { InvalidArgumentError } from 'commander';

const PORT_MAX = 65_535;

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= PORT_MAX)) throw new InvalidArgumentError('A port is a number from 0 to 65535.');
  return port;
}
