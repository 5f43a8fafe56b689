// The files and arguments of one node, on top of those that all nodes share (cassandra.yaml, java.options).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface NodeSettings {
  readonly host: string;
  /** The address for clients. */
  readonly clientHost: string;
  readonly token: bigint;
  readonly seeds: readonly string[];
  readonly directory: string;
  /** Replace settings by name: to show what the engine refuses. */
  readonly overrides?: Readonly<Record<string, string>> | undefined;
}

/** The compiler copies none of these files. */
const FOLDER = fileURLToPath(new URL('../../../tools/cassandra', import.meta.url));
export const sharedFile = (name: string): string => join(FOLDER, name);

export function yamlOf({ host, clientHost, token, seeds, directory, overrides = {} }: NodeSettings): string {
  const own = {
    initial_token: String(token),
    listen_address: host,
    rpc_address: host,
    broadcast_rpc_address: clientHost,
    ...Object.fromEntries(
      ['commitlog', 'saved_caches', 'hints', 'cdc_raw'].map(name => [
        `${name}_directory`,
        join(directory, name),
      ]),
    ),
    data_file_directories: `['${join(directory, 'data')}']`,
    seed_provider: `[{ class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [{ seeds: '${seeds.join(',')}' }] }]`,
    ...overrides,
  };
  const shared = readFileSync(sharedFile('cassandra.yaml'), 'utf8')
    .split('\n')
    .filter(line => !((line.split(':')[0] ?? '') in own));
  return [...shared, ...Object.entries(own).map(([name, value]) => `${name}: ${value}`), ''].join('\n');
}

/** Files that identify a node, and the clients that it trusts. */
interface Keystores {
  readonly keystore: string;
  readonly truststore: string;
  readonly password: string;
}

/**
 * Settings of a node that asks for passwords and permissions; the first user is `cassandra`, with that password. A
 * change of permissions takes effect two seconds later unless it is looked up each time.
 */
export const WITH_PASSWORDS = {
  authenticator: 'PasswordAuthenticator',
  authorizer: 'CassandraAuthorizer',
  permissions_validity: '0ms',
};

/** Settings of a node with TLS only; `asksClients`: it requires certificates of clients. */
export const withTls = (
  { keystore, truststore, password }: Keystores,
  asksClients: boolean,
): Readonly<Record<string, string>> => ({
  client_encryption_options: `{ enabled: true, optional: false, store_type: PKCS12, require_client_auth: ${asksClients}, keystore: '${keystore}', keystore_password: '${password}', truststore: '${truststore}', truststore_password: '${password}' }`,
});

/**
 * Tables are created and dropped without writing Cassandra's whole schema to the disk, which only a restarted node
 * needs. An empty keyspace of the tests is ready after 0.5 s instead of 2.9 s.
 */
export const NEVER_RESTARTED = ['-Dcassandra.test.flush_local_schema_changes=false'];

/** The arguments for `java`. */
export const javaArguments = (
  jars: readonly string[],
  directory: string,
  properties: readonly string[],
): readonly string[] => [
  `@${sharedFile('java.options')}`,
  `-javaagent:${jars.find(jar => jar.includes('jamm-'))}`,
  `-Dcassandra.config=file://${join(directory, 'cassandra.yaml')}`,
  `-Dlogback.configurationFile=${sharedFile('logback.xml')}`,
  `-Dcassandra.storagedir=${directory}`,
  ...properties,
  '-cp',
  jars.join(':'),
  'org.apache.cassandra.service.CassandraDaemon',
];
