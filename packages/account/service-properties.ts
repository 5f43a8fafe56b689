// The properties of one of an account's services: their form in memory and in the store, and how a change applies to them
// (protocol: service-properties). Limits are checked where the XML is parsed; the rules are evaluated by the wire's cors.ts.
import { decodeVersioned, encodeVersioned } from './versioned-json.js';

export interface Logging {
  readonly version: string;
  readonly read: boolean;
  readonly write: boolean;
  readonly delete: boolean;
  /** Days for which logs are kept, 1 to 365; undefined means forever. */
  readonly retentionDays: number | undefined;
}

export interface Metrics {
  readonly version: string;
  readonly enabled: boolean;
  /** Has no effect and is not shown while metrics are off. */
  readonly includeApis: boolean;
  readonly retentionDays: number | undefined;
}

/** An origin or a header may be `*`; a header that ends in `*` is a prefix. */
export interface CorsRule {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

/** For blobs: stored and returned, without effect. */
export interface StaticWebsite {
  readonly enabled: boolean;
  readonly indexDocument?: string | undefined;
  readonly errorDocument?: string | undefined;
  readonly defaultIndexPath?: string | undefined;
}

export interface ServiceProperties {
  readonly logging: Logging;
  readonly hourMetrics: Metrics;
  readonly minuteMetrics: Metrics;
  /** At most five. */
  readonly cors: readonly CorsRule[];
  /** For blobs: the version of requests that name none, if it was set. */
  readonly defaultVersion?: string | undefined;
  /** For blobs, if it was set. */
  readonly staticWebsite?: StaticWebsite | undefined;
}

/** The sections that a Set names; the others keep their settings. */
export interface ServicePropertiesChange {
  readonly logging?: Logging | undefined;
  readonly hourMetrics?: Metrics | undefined;
  readonly minuteMetrics?: Metrics | undefined;
  readonly cors?: readonly CorsRule[] | undefined;
  readonly defaultVersion?: string | undefined;
  readonly staticWebsite?: StaticWebsite | undefined;
}

/** The properties of a new account (protocol: service-properties#defaults). */
export const defaultServiceProperties: ServiceProperties = {
  logging: { version: '1.0', read: false, write: false, delete: false, retentionDays: undefined },
  hourMetrics: { version: '1.0', enabled: true, includeApis: true, retentionDays: 7 },
  minuteMetrics: { version: '1.0', enabled: false, includeApis: false, retentionDays: undefined },
  cors: [],
};

/** Other services' properties have no such members. */
const settingsOfBlobs = (
  defaultVersion: string | undefined,
  staticWebsite: StaticWebsite | undefined,
): Pick<ServiceProperties, 'defaultVersion' | 'staticWebsite'> => ({
  ...(defaultVersion !== undefined && { defaultVersion }),
  ...(staticWebsite !== undefined && { staticWebsite }),
});

export function changeServiceProperties(
  current: ServiceProperties,
  change: ServicePropertiesChange,
): ServiceProperties {
  return {
    logging: change.logging ?? current.logging,
    hourMetrics: change.hourMetrics ?? current.hourMetrics,
    minuteMetrics: change.minuteMetrics ?? current.minuteMetrics,
    cors: change.cors ?? current.cors,
    ...settingsOfBlobs(
      change.defaultVersion ?? current.defaultVersion,
      change.staticWebsite ?? current.staticWebsite,
    ),
  };
}

const VERSION = 1;

/** `{"version":1,"value":…}` with the fields of `ServiceProperties`; JSON leaves out those that are undefined. */
export function encodeServiceProperties(properties: ServiceProperties): Buffer {
  return encodeVersioned(VERSION, properties);
}

/** @throws StoreError `corrupt` or `unsupported`. */
export function decodeServiceProperties(bytes: Buffer): ServiceProperties {
  return decodeVersioned(VERSION, bytes, 'Service properties', decodeSections);
}

const decodeSections = (value: unknown): ServiceProperties => {
  const { logging, hourMetrics, minuteMetrics, cors, defaultVersion, staticWebsite } =
    value as ServiceProperties;
  return {
    logging: { ...logging, retentionDays: logging.retentionDays },
    hourMetrics: { ...hourMetrics, retentionDays: hourMetrics.retentionDays },
    minuteMetrics: { ...minuteMetrics, retentionDays: minuteMetrics.retentionDays },
    cors: [...cors],
    ...settingsOfBlobs(defaultVersion, staticWebsite),
  };
};
