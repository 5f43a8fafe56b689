// What to do about an address that cannot be listened on: names the options that chose it.

/** An address that the command listens on. */
export interface Listening {
  /** Of the options that set it: `blob` for --blob-port and --blob-host. */
  readonly name: string;
  readonly port: number | 'none' | undefined;
}

const ADVICE: Readonly<Record<string, (names: readonly string[]) => string>> = {
  EADDRINUSE: names => `another program listens there; stop it, or choose another port with ${ports(names)}.`,
  EACCES: names => `this user may not listen there; choose a port above 1023 with ${ports(names)}.`,
  EADDRNOTAVAIL: names => `this machine does not have the address; choose another with ${hosts(names)}.`,
};

const ports = (names: readonly string[]): string => names.map(name => `--${name}-port`).join(' or ');
const hosts = (names: readonly string[]): string =>
  names.map(name => (name === 'table' ? '--host' : `--${name}-host`)).join(' or ');

const fieldOf = (error: Error, name: string): unknown => Reflect.get(error, name);

/** Adds the advice to the message of a failed listen, and returns any error. */
export function adviseOnListening(error: unknown, listenings: readonly Listening[]): unknown {
  if (!(error instanceof Error) || !['listen', 'bind'].includes(String(fieldOf(error, 'syscall'))))
    return error;
  const advice = ADVICE[String(fieldOf(error, 'code'))];
  // Node leaves port 0 out of its errors.
  const port = fieldOf(error, 'port') ?? 0;
  const there = listenings.filter(each => each.port === port);
  const chosen = there.length > 0 ? there : listenings.filter(each => typeof each.port === 'number');
  if (advice !== undefined && chosen.length > 0)
    error.message += `: ${advice(chosen.map(({ name }) => name))}`;
  return error;
}
