// The address of a store on a cluster: `//HOST[:PORT][,HOST…]/KEYSPACE[?OPTION&…]`, after `cassandra:`. It holds no
// secret: session/access.ts has those.
import { StoreError } from '#store';

/** Names of files in PEM. */
interface TlsFiles {
  /** Authorities that sign nodes' certificates; by default those that Node.js trusts. */
  readonly ca: string | undefined;
  /** This program's certificate, for clusters that ask for one; never without `key`. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

export interface Place {
  readonly hosts: readonly string[];
  readonly port: number;
  readonly keyspace: string;
  /** Creates keyspace and tables where they are missing. */
  readonly create: boolean;
  /** Copies of everything, in the data center. */
  readonly replicas: number;
  /** Undefined: the only one. */
  readonly dataCenter: string | undefined;
  /** Undefined: connections are not encrypted. */
  readonly tls: TlsFiles | undefined;
  /** Serves although settings of the cluster break the durability promise. */
  readonly unsafe: boolean;
  /** How many seconds an open waits for enough nodes. */
  readonly wait: number;
}

const PORT = 9042;
const REPLICAS = 3;
/** Three nodes that are started together need 17 to 34 s on two cores. */
const WAIT_SECONDS = 60;
const PLACE = /^\/\/([^/?]+)\/(\w{1,48})(?:\?(.*))?$/;
/** Before the options, where file names may contain an `@`. */
const USER = /^[^?]*@/;
const HOST = /^([\w.-]+|\[[\da-f:]+\])(?::(\d{1,5}))?$/i;
const OPTIONS = ['create', 'replicas', 'dataCenter', 'tls', 'ca', 'cert', 'key', 'unsafe', 'wait'];
const FORM = 'cassandra://HOST[:PORT][,HOST…]/KEYSPACE[?OPTION&…]';
const EXPLAINED =
  'create, replicas=N, dataCenter=NAME, tls, ca=FILE, cert=FILE, key=FILE, wait=SECONDS and unsafe';
const NO_SECRETS =
  'Give the user and password in SHELFMARK_CASSANDRA_USER, and SHELFMARK_CASSANDRA_PASSWORD or SHELFMARK_CASSANDRA_PASSWORD_FILE: other users see an address in the list of processes.';

const refused = (why: string): StoreError =>
  new StoreError('unsupported', `${why}: an address of Cassandra is ${FORM}, with the options ${EXPLAINED}.`);

function tlsIn(options: URLSearchParams): TlsFiles | undefined {
  const file = (name: string): string | undefined => {
    const path = options.get(name) ?? undefined;
    if (path === '') throw refused(`The option ${name} names no file`);
    return path;
  };
  const files = { ca: file('ca'), cert: file('cert'), key: file('key') };
  if ((files.cert === undefined) !== (files.key === undefined)) throw refused('cert and key go together');
  if (options.has('tls')) return files;
  if (Object.values(files).some(path => path !== undefined)) throw refused('ca, cert and key need tls');
  return undefined;
}

type Options = Pick<Place, 'create' | 'replicas' | 'dataCenter' | 'tls' | 'unsafe' | 'wait'>;

function optionsIn(text: string): Options {
  const options = new URLSearchParams(text);
  for (const name of options.keys())
    if (!OPTIONS.includes(name)) throw refused(`There is no option '${name}'`);
  const replicas = Number(options.get('replicas') ?? REPLICAS);
  if (!Number.isInteger(replicas) || replicas < 1) throw refused('replicas is a number from 1 on');
  const wait = Number(options.get('wait') ?? WAIT_SECONDS);
  if (!Number.isInteger(wait) || wait < 0 || options.get('wait') === '')
    throw refused('wait is a number of seconds from 0 on');
  const dataCenter = options.get('dataCenter') ?? undefined;
  if (dataCenter === '') throw refused('dataCenter is a name');
  return {
    create: options.has('create'),
    replicas,
    dataCenter,
    tls: tlsIn(options),
    unsafe: options.has('unsafe'),
    wait,
  };
}

/** @throws StoreError `unsupported` if the text names no cluster and keyspace. */
export function parsePlace(text: string): Place {
  // The part before it is never repeated: it may be a secret.
  if (USER.test(text)) throw new StoreError('unsupported', NO_SECRETS);
  const [, hostsText = '', keyspace = '', options = ''] = PLACE.exec(text) ?? [];
  if (keyspace === '') throw refused('Hosts or the keyspace are missing');
  const found = hostsText.split(',').map(host => HOST.exec(host));
  const hosts = found.flatMap(host => host?.[1]?.replace(/^\[|\]$/g, '') ?? []);
  if (hosts.length !== found.length) throw refused('A host is none');
  const [port = PORT, ...others] = new Set(found.map(host => Number(host?.[2] ?? PORT)));
  if (others.length > 0) throw refused('All hosts have one port');
  return { hosts, port, keyspace, ...optionsIn(options) };
}
