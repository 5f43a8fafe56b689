// The refusals of the Table service: its codes in addition to those that all services share, and the failure of a changeset.
import { ServiceError, type SharedErrorCode } from '#account';

export type TableErrorCode =
  | SharedErrorCode
  | 'AtomFormatNotSupported'
  | 'CommandsInBatchActOnDifferentPartitions'
  | 'DuplicatePropertiesSpecified'
  | 'EntityAlreadyExists'
  | 'EntityTooLarge'
  | 'InvalidDuplicateRow'
  | 'InvalidInput'
  | 'InvalidInput:BatchLength'
  | 'InvalidInput:Body'
  | 'InvalidInput:Etag'
  | 'InvalidInput:FilterSyntax'
  | 'InvalidInput:FilterTypes'
  | 'InvalidInput:IfNoneMatch'
  | 'InvalidInput:KeyCount'
  | 'InvalidInput:KeyType'
  | 'InvalidInput:QuerySyntax'
  | 'InvalidInput:TwoConditions'
  | 'InvalidUri:TooLong'
  | 'JsonFormatNotSupported'
  | 'MediaTypeNotSupported'
  | 'MethodNotAllowed'
  | 'MissingRequiredHeader'
  | 'NotImplemented'
  | 'OutOfRangeInput'
  | 'OutOfRangeInput:Parameter'
  | 'PropertiesNeedValue'
  | 'PropertyNameInvalid'
  | 'PropertyNameTooLong'
  | 'PropertyValueTooLarge'
  | 'TableAlreadyExists'
  | 'TableBeingDeleted'
  | 'TableNotFound'
  | 'TooManyProperties'
  | 'UpdateConditionNotSatisfied'
  | 'XMethodIncorrectCount'
  | 'XMethodIncorrectValue'
  | 'XMethodNotUsingPost';

export class TableError extends ServiceError<TableErrorCode> {
  override readonly name = 'TableError';
}

/** Why a changeset was refused, and for which of its operations. */
export class ChangesetFailure extends Error {
  override readonly name = 'ChangesetFailure';
  /** Position in the changeset of the operation that failed. */
  readonly index: number;
  readonly error: ServiceError<TableErrorCode>;

  constructor(index: number, error: ServiceError<TableErrorCode>) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${index}:${error.code}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.index = index;
    this.error = error;
  }
}
