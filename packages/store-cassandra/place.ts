// The address of a store on a cluster: `//HOST[:PORT][,HOST…]/KEYSPACE[?create][&replicas=N][&unsafe]`, what stands behind `cassandra:`.
import { StoreError } from '#store';

export interface Place {
  readonly hosts: readonly string[];
  readonly port: number;
  readonly keyspace: string;
  /** Makes keyspace and tables where they are missing. */
  readonly create: boolean;
  /** Copies of everything, in the data centre of the first host. */
  readonly replicas: number;
  /** Serves although settings of the cluster break the promise. */
  readonly unsafe: boolean;
}

const PORT = 9042;
const REPLICAS = 3;
const PLACE = /^\/\/([^/?]+)\/(\w{1,48})(?:\?(.*))?$/;
const HOST = /^([\w.-]+|\[[\da-f:]+\])(?::(\d{1,5}))?$/i;
const FORM = 'cassandra://HOST[:PORT][,HOST…]/KEYSPACE[?create][&replicas=N][&unsafe]';

const refused = (why: string): StoreError =>
  new StoreError('unsupported', `${why}: an address of Cassandra is ${FORM}.`);

function optionsIn(text: string): Pick<Place, 'create' | 'replicas' | 'unsafe'> {
  const options = new URLSearchParams(text);
  for (const name of options.keys())
    if (!['create', 'replicas', 'unsafe'].includes(name)) throw refused(`There is no option '${name}'`);
  const replicas = Number(options.get('replicas') ?? REPLICAS);
  if (!Number.isInteger(replicas) || replicas < 1) throw refused('replicas is a number from 1 on');
  return { create: options.has('create'), replicas, unsafe: options.has('unsafe') };
}

/** @throws StoreError `unsupported` for what names no cluster and keyspace. */
export function parsePlace(text: string): Place {
  const [, hostsText = '', keyspace = '', options = ''] = PLACE.exec(text) ?? [];
  if (keyspace === '') throw refused('Hosts or the keyspace are missing');
  const found = hostsText.split(',').map(host => HOST.exec(host));
  const hosts = found.flatMap(host => host?.[1]?.replace(/^\[|\]$/g, '') ?? []);
  if (hosts.length !== found.length) throw refused('A host is none');
  const [port = PORT, ...others] = new Set(found.map(host => Number(host?.[2] ?? PORT)));
  if (others.length > 0) throw refused('All hosts have one port');
  return { hosts, port, keyspace, ...optionsIn(options) };
}
