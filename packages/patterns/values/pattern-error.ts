// The errors of this library: one class, a code from a closed set, and typed details. docs/patterns/errors.md has a section for each code.

import type { EdmType } from './edm.js';
import type { Instant } from './instant.js';

/** The address of a row. */
export interface RowAddress {
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** What each code means. */
export interface PatternErrorDetails {
  /** The row to be changed is not there. */
  readonly NotFound: RowAddress;
  /** The table is not there: a program creates its tables before it uses them. */
  readonly TableNotFound: { readonly table: string };
  /** A table of this name was dropped, and the service does not yet take another one: for about 40 seconds on Azure. */
  readonly TableBeingDeleted: { readonly table: string };
  /** A row of a time that is no longer kept: of rolling tables, before `retainedFrom`. */
  readonly Expired: { readonly table: string; readonly retainedFrom: Instant };
  /** A row with these keys is there already. */
  readonly AlreadyExists: RowAddress;
  /** Another row has this key in a unique index: one of the partition or, of a remote index, any, or a write that may yet be done. The address is that of the index's row. */
  readonly UniqueViolation: RowAddress & {
    readonly entity: string;
    readonly index: string;
    readonly key: Readonly<Record<string, unknown>>;
  };
  /** A write of an entity with indexes or of values in pieces, which depends on the row before: it has to be read, which a batch does not do. */
  readonly RowNotRead: RowAddress & { readonly entity: string; readonly op: string };
  /** A write of an entity with lists or copies, in a batch of the program: a repository writes it with them. */
  readonly NotInBatch: RowAddress & {
    readonly entity: string;
    readonly op: string;
    readonly derivation: string;
  };
  /** A row takes copies of another that is not there. The address is that of the other. */
  readonly SourceMissing: RowAddress & { readonly copies: string };
  /** A row that others have copies of may not be deleted. `by` is one of them. */
  readonly SourceInUse: RowAddress & { readonly copies: string; readonly by: RowAddress };
  /** The row was changed since it was read. */
  readonly Conflict: RowAddress & { readonly etag: string };
  /** Others changed the row each time, as often as it was tried. */
  readonly Contention: RowAddress & { readonly attempts: number; readonly lastEtag: string | undefined };
  readonly TooManyOperations: { readonly operations: number; readonly limit: number };
  /** More than the service takes: `where` names the property, the key, the entity or the batch. */
  readonly TooLarge: {
    readonly what: SizeLimit;
    readonly where: string;
    readonly size: number;
    readonly limit: number;
  };
  /** A stored property is not what the entity says. */
  readonly TypeDrift: Drift;
  /** The row was written by a newer version of the entity than this program knows. */
  readonly NewerVersion: RowAddress & { readonly known: number; readonly found: number };
  /** The row is of another entity. `found` is its type tag, if it has one. */
  readonly WrongEntity: RowAddress & { readonly expected: string; readonly found: string | undefined };
  /** A stored row that its entity cannot read: its keys, a value or an upcast, as the `cause` says. */
  readonly RowUnreadable: RowAddress & { readonly entity: string; readonly reason: string };
  /** A key, or a part of one, that cannot be made or read. */
  readonly KeyInvalid: { readonly part: string; readonly reason: string; readonly text?: string };
  /** A value that the property's type or its check does not accept. */
  readonly ValueInvalid: { readonly property: string; readonly expected: string; readonly reason: string };
  /** An entity, key or property whose definition contradicts itself or the service's rules. */
  readonly DefinitionInvalid: { readonly subject: string; readonly reason: string };
  /** A text that is no $filter of the service. */
  readonly FilterInvalid: { readonly filter: string; readonly position: number; readonly reason: string };
  /** The number of buckets of the entity is being changed, and the operation would see only some of the places where its rows may be. */
  readonly BucketsChanging: { readonly entity: string; readonly reason: string };
  readonly ScanRefused: { readonly filter: string; readonly reason: string };
  readonly TokenMismatch: { readonly reason: string };
  /** One operation of a batch failed, and so none was done. `reason` is the code of the error, which is the `cause`. */
  readonly BatchFailed: RowAddress & { readonly index: number; readonly op: string; readonly reason: string };
  /** It is unknown whether the operation was done, even after a read of the row. */
  readonly OutcomeUnknown: RowAddress & { readonly op: string };
  /** No answer came after all attempts; a write was not applied, as far as its row shows. The clients of queues and blobs do not report how often they tried. */
  readonly Unreachable: { readonly attempts: number | undefined };
  readonly Throttled: { readonly retryAfter: number | undefined };
  /** An encrypted value whose key the program does not have, or whose key service fails. */
  readonly KeyUnavailable: RowAddress & {
    readonly property: string;
    readonly keyId: string;
    readonly reason: string;
  };
  /** An encrypted value that was changed, or stands in another place than it was written for. */
  readonly CiphertextRefused: RowAddress & { readonly property: string; readonly reason: string };
  /** The queue is not there: a program creates a flow's queues before it uses them. */
  readonly QueueNotFound: { readonly queue: string };
  /** A text of a queue that is no message of the flow, or of a version that this program does not know. */
  readonly MessageUnreadable: { readonly queue: string; readonly reason: string };
  /** A step that changed something when it was run a second time. */
  readonly NotIdempotent: { readonly flow: string; readonly step: string; readonly reason: string };
  /** The service said no for a reason that none of the other codes names. */
  readonly ServiceRefused: { readonly status: number; readonly code: string; readonly text: string };
}

/** Every code that an error of this library can have. */
export type PatternErrorCode = keyof PatternErrorDetails;

/** What the service bounds: see docs/patterns/sizes.md. */
export type SizeLimit =
  | 'entity bytes'
  | 'properties'
  | 'property name'
  | 'string'
  | 'binary'
  | 'key'
  | 'batch bytes'
  | 'block'
  | 'message';

/** A stored property that is not what the entity says. */
export interface Drift extends RowAddress {
  readonly entity: string;
  readonly property: string;
  readonly expected: EdmType;
  /** What is stored there; `check` if it has the right type and the property's check refuses it. */
  readonly found: EdmType | 'missing' | 'check';
  readonly reason: string;
}

/** A row, as sentences name it. */
export const rowText = ({ table, partitionKey, rowKey }: RowAddress): string =>
  `${table}('${partitionKey}', '${rowKey}')`;

/** The other codes are those of the library's other entries, which give the sentence where they throw: others' bundles do without it. */
const SENTENCES = {
  NotFound: row => `There is no row ${rowText(row)}.`,
  TableNotFound: ({ table }) => `There is no table ${table}.`,
  TableBeingDeleted: ({ table }) => `The table ${table} is being deleted.`,
  AlreadyExists: row => `There is a row ${rowText(row)} already.`,
  UniqueViolation: detail =>
    `Another ${detail.entity} has this key in ${detail.index}, by the row ${rowText(detail)}.`,
  RowNotRead: detail =>
    `${detail.entity} has indexes or values in pieces: read the row ${rowText(detail)} before its ${detail.op}, or write it by a repository.`,
  NotInBatch: detail =>
    `${detail.entity} has ${detail.derivation}: write the row ${rowText(detail)} by a repository.`,
  Conflict: row => `The row ${rowText(row)} was changed since it was read.`,
  Contention: detail => `Others changed the row ${rowText(detail)} in each of ${detail.attempts} attempts.`,
  TooManyOperations: detail => `The batch has ${detail.operations} operations, and may have ${detail.limit}.`,
  TooLarge: detail =>
    `${detail.where} has a size of ${detail.size} (${detail.what}), and may have ${detail.limit}.`,
  TypeDrift: detail =>
    `${detail.entity}.${detail.property} of ${rowText(detail)} should be ${detail.expected}: ${detail.reason}.`,
  NewerVersion: detail =>
    `The row ${rowText(detail)} is of version ${detail.found}, and this program knows ${detail.known}.`,
  WrongEntity: detail =>
    `The row ${rowText(detail)} is of ${detail.found ?? 'no known entity'}, not ${detail.expected}.`,
  RowUnreadable: detail => `The row ${rowText(detail)} cannot be read as ${detail.entity}: ${detail.reason}`,
  KeyInvalid: detail => `The key part ${detail.part} ${detail.reason}.`,
  ValueInvalid: detail => `The property ${detail.property} should be ${detail.expected}: ${detail.reason}.`,
  DefinitionInvalid: detail => `${detail.subject}: ${detail.reason}.`,
  ScanRefused: detail => `The query is refused: ${detail.reason}. Its filter: ${detail.filter}`,
  TokenMismatch: detail => `The token is not one of this query: ${detail.reason}.`,
  BatchFailed: detail =>
    `Operation ${detail.index} (${detail.op} of ${rowText(detail)}) failed, and nothing was done: ${detail.reason}.`,
  OutcomeUnknown: detail => `It is unknown whether ${detail.op} of ${rowText(detail)} was done.`,
  Unreachable: ({ attempts }) => `No answer came (attempts: ${attempts ?? 'unknown'}).`,
  Throttled: () => 'The service is busy.',
  ServiceRefused: ({ status, code, text }) =>
    `The service answered ${status}${code === '' ? '' : ` ${code}`}: ${text}`,
} satisfies { readonly [C in PatternErrorCode]?: (detail: PatternErrorDetails[C]) => string };

type CodeOfEntry = Exclude<PatternErrorCode, keyof typeof SENTENCES>;

/** What an error needs in addition to its code and details. */
type ErrorText<C extends PatternErrorCode> = ErrorOptions &
  (C extends CodeOfEntry ? { readonly sentence: string } : { readonly sentence?: string });

/** The last arguments of `new PatternError`: nothing need be given for a code that has a sentence here. */
type TextFor<C extends PatternErrorCode> = C extends CodeOfEntry
  ? readonly [text: ErrorText<C>]
  : readonly [text?: ErrorText<C>];

/**
 * Every failure that this library knows by name. `detail` has the type that goes with the code, which `PatternError.is` narrows for the
 * compiler.
 */
export class PatternError<C extends PatternErrorCode = PatternErrorCode> extends Error {
  override readonly name = 'PatternError';
  readonly code: C;
  readonly detail: PatternErrorDetails[C];

  constructor(code: C, detail: PatternErrorDetails[C], ...[text]: TextFor<C>) {
    const { sentence, ...options }: { readonly sentence?: string } & ErrorOptions = text ?? {};
    super(`${code}: ${sentence ?? SENTENCES[code as keyof typeof SENTENCES](detail as never)}`, options);
    this.code = code;
    this.detail = detail;
  }

  /** Whether a thrown value is an error of this library, with this code if one is given. Its `code` then determines the type of its `detail`. */
  static is(thrown: unknown): thrown is AnyPatternError;
  static is<C extends PatternErrorCode>(thrown: unknown, code: C): thrown is PatternError<C>;
  static is(thrown: unknown, code?: PatternErrorCode): boolean {
    // Compares names, since a process may load two copies of this library.
    const isOurs = thrown instanceof Error && thrown.name === 'PatternError' && 'code' in thrown;
    return isOurs && (code === undefined || thrown.code === code);
  }
}

/** An error of this library, whatever its code: `switch (error.code)` narrows its detail. */
export type AnyPatternError = { [C in PatternErrorCode]: PatternError<C> }[PatternErrorCode];

/** For the compiler only: no value has this type, so that the compiler prints the message where a program gives one. */
export interface Refused<M extends string> {
  readonly '~refused': (message: M) => never;
}

/** Throws ValueInvalid. */
export function refuseValue(property: string, expected: string, reason: string): never {
  throw new PatternError('ValueInvalid', { property, expected, reason });
}

/** Throws KeyInvalid. `text` is the key, or what of it was read. */
export function refuseKey(part: string, reason: string, text?: string): never {
  throw new PatternError('KeyInvalid', { part, reason, ...(text !== undefined && { text }) });
}

/** Throws DefinitionInvalid. */
export function refuseDefinition(subject: string, reason: string): never {
  throw new PatternError('DefinitionInvalid', { subject, reason });
}
