// The settings of one node, as text. Those that the engine's promise depends on are marked; the others make a node
// small and quick to start.
import { join } from 'node:path';

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

/** The maximum of one statement: a changeset of 4 MiB with its rows' images, and contents' pieces. */
const FRAME = '16MiB';

/** Promise: a commit is on disk at each replica that answered, and SERIAL reads see what was decided. */
const DURABLE = { commitlog_sync: 'batch', paxos_variant: 'v2' };

const PLAIN = {
  cluster_name: 'shelfmark',
  num_tokens: '1',
  partitioner: 'org.apache.cassandra.dht.Murmur3Partitioner',
  endpoint_snitch: 'SimpleSnitch',
  storage_compatibility_mode: 'NONE',
  native_transport_max_frame_size: FRAME,
  disk_failure_policy: 'stop',
  commitlog_segment_size: '64MiB',
  // Half a segment, which is the default, is the bound of one commit.
  max_mutation_size: '32MiB',
  read_request_timeout: '2500ms',
  range_request_timeout: '5000ms',
  write_request_timeout: '2500ms',
  cas_contention_timeout: '2500ms',
  request_timeout: '5000ms',
  // A batch is one commit here, of one partition.
  batch_size_warn_threshold: FRAME,
  batch_size_fail_threshold: FRAME,
  hinted_handoff_enabled: 'true',
  auto_snapshot: 'false',
  concurrent_reads: '16',
  concurrent_writes: '16',
  concurrent_compactors: '1',
  file_cache_size: '64MiB',
  key_cache_size: '16MiB',
};

export function yamlOf({ host, clientHost, token, seeds, directory, overrides }: NodeSettings): string {
  const settings: Record<string, string> = {
    ...PLAIN,
    ...DURABLE,
    initial_token: String(token),
    listen_address: host,
    rpc_address: host,
    broadcast_rpc_address: clientHost,
    native_transport_port: '9042',
    storage_port: '7000',
    commitlog_directory: join(directory, 'commitlog'),
    saved_caches_directory: join(directory, 'saved_caches'),
    hints_directory: join(directory, 'hints'),
    cdc_raw_directory: join(directory, 'cdc'),
    ...overrides,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join('\n')}
data_file_directories: ['${join(directory, 'data')}']
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{ seeds: '${seeds.join(',')}' }]
`;
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

export const LOGBACK = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n</pattern></encoder></appender>
  <root level="INFO"><appender-ref ref="OUT"/></root>
</configuration>
`;

/** Packages of the JDK that Cassandra reaches into, as its own start script opens them for Java 17. */
const OPENED = [
  'java.base/java.io',
  'java.base/java.lang',
  'java.base/java.lang.module',
  'java.base/java.lang.reflect',
  'java.base/java.math',
  'java.base/java.net',
  'java.base/java.nio',
  'java.base/java.nio.charset',
  'java.base/java.nio.file.spi',
  'java.base/java.util',
  'java.base/java.util.concurrent',
  'java.base/java.util.concurrent.atomic',
  'java.base/jdk.internal.loader',
  'java.base/jdk.internal.math',
  'java.base/jdk.internal.module',
  'java.base/jdk.internal.ref',
  'java.base/jdk.internal.reflect',
  'java.base/jdk.internal.util.jar',
  'java.base/sun.nio.ch',
  'jdk.management/com.sun.management.internal',
];
const EXPORTED = [
  'java.base/jdk.internal.misc',
  'java.base/jdk.internal.ref',
  'java.base/sun.nio.ch',
  'java.management.rmi/com.sun.jmx.remote.internal.rmi',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.sql/java.sql',
  'jdk.unsupported/sun.misc',
];

const HEAP = '768M';

/**
 * Tables are created and dropped without writing Cassandra's whole schema to the disk, which only a restarted node
 * needs. An empty keyspace of the tests is ready after 0.5 s instead of 2.9 s.
 */
export const NEVER_RESTARTED = ['-Dcassandra.test.flush_local_schema_changes=false'];

/** The arguments for `java`. */
export function javaArguments(
  jars: readonly string[],
  directory: string,
  properties: readonly string[],
): readonly string[] {
  const agent = jars.find(jar => jar.includes('jamm-')) ?? '';
  return [
    `-Xms${HEAP}`,
    `-Xmx${HEAP}`,
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    '-XX:+ExitOnOutOfMemoryError',
    `-javaagent:${agent}`,
    '-Djdk.attach.allowAttachSelf=true',
    '-Dio.netty.tryReflectionSetAccessible=true',
    `-Dcassandra.config=file://${join(directory, 'cassandra.yaml')}`,
    `-Dlogback.configurationFile=${join(directory, 'logback.xml')}`,
    `-Dcassandra.storagedir=${directory}`,
    '-Dcassandra.skip_wait_for_gossip_to_settle=0',
    '-Dcassandra.ring_delay_ms=1000',
    '-Dcassandra.allow_simplestrategy=true',
    '-Dcassandra.superuser_setup_delay_ms=0',
    '-Djava.net.preferIPv4Stack=true',
    ...properties,
    ...OPENED.map(name => `--add-opens=${name}=ALL-UNNAMED`),
    ...EXPORTED.map(name => `--add-exports=${name}=ALL-UNNAMED`),
    '-cp',
    jars.join(':'),
    'org.apache.cassandra.service.CassandraDaemon',
  ];
}
