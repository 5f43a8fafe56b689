// The Table service's error table: status and text of every code (protocol: errors#codes-of-tables).
// format-error.ts decides the form and the headers of a refusal.
import type { TableErrorCode } from '#tables';
import { type ErrorTable, INVALID_INPUT, SHARED_ERRORS, withStatus } from '../shared/error-table.js';

export const ERROR_TABLE: ErrorTable<TableErrorCode> = {
  ...SHARED_ERRORS,
  ...withStatus(400, {
    CommandsInBatchActOnDifferentPartitions: 'All commands in a batch must operate on same entity group.',
    DuplicatePropertiesSpecified: 'A property is specified more than one time.',
    EntityTooLarge: 'The entity is larger than the maximum allowed size (1MB).',
    InvalidDuplicateRow:
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
    InvalidInput: INVALID_INPUT,
    'InvalidInput:BatchLength': 'The batch request operation exceeds the maximum 100 changes per change set.',
    'InvalidInput:Body': 'An error occurred while processing this request.',
    'InvalidInput:Etag':
      "The etag value '{etag}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.",
    'InvalidInput:FilterSyntax': "Syntax error at position {position} in '{filter}'.",
    'InvalidInput:FilterTypes':
      "A binary operator with incompatible types was detected. Found operand types '{left}' and '{right}' for operator kind '{operator}'.",
    'InvalidInput:IfNoneMatch': 'If-None-Match HTTP header cannot be specified for {method} requests.',
    'InvalidInput:KeyCount':
      "The number of keys specified in the URI does not match number of key properties for the resource '{resource}'.",
    'InvalidInput:KeyType': INVALID_INPUT,
    'InvalidInput:QuerySyntax': 'Bad Request - Error in query syntax.',
    'InvalidInput:TwoConditions': 'Both If-Match and If-None-Match cannot be specified at the same time.',
    MissingRequiredHeader: 'A required HTTP header was not specified.',
    OutOfRangeInput: 'One of the request inputs is out of range.',
    'OutOfRangeInput:Parameter': "The '{name}' parameter of value '{value}' is out of range.",
    PropertiesNeedValue: 'The values are not specified for all properties in the entity.',
    PropertyNameInvalid: 'The property name is invalid.',
    PropertyNameTooLong: 'The property name exceeds the maximum allowed length (255).',
    PropertyValueTooLarge:
      'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
    TooManyProperties:
      'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
    XMethodIncorrectCount: 'More than one X-HTTP-Method is specified.',
    XMethodIncorrectValue: 'The specified X-HTTP-Method is invalid.',
    XMethodNotUsingPost: 'The request uses X-HTTP-Method with an HTTP verb other than POST.',
  }),
  ...withStatus(404, { TableNotFound: 'The table specified does not exist.' }),
  ...withStatus(405, {
    MethodNotAllowed: 'The requested method is not allowed on the specified resource.',
  }),
  ...withStatus(409, {
    EntityAlreadyExists: 'The specified entity already exists.',
    TableAlreadyExists: 'The table specified already exists.',
    TableBeingDeleted: 'The specified table is being deleted.',
  }),
  ...withStatus(412, {
    UpdateConditionNotSatisfied: 'The update condition specified in the request was not satisfied.',
  }),
  ...withStatus(414, { 'InvalidUri:TooLong': 'The request URL is too long.' }),
  ...withStatus(415, {
    AtomFormatNotSupported: 'Atom format is not supported.',
    JsonFormatNotSupported: 'JSON format is not supported.',
    MediaTypeNotSupported: 'None of the provided media types are supported',
  }),
  ...withStatus(500, {
    InternalError: 'The server encountered an internal error. Please retry the request.',
    OperationTimedOut: 'Operation could not be completed within the permitted time.',
  }),
  ...withStatus(501, {
    NotImplemented: 'The requested operation is not implemented on the specified resource.',
  }),
};
