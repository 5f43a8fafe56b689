// The Table service's error table: status and text of every code (protocol: errors#codes-of-tables).
// format-error.ts decides the form and the headers of a refusal.
import type { TableErrorCode } from '#tables';
import { type ErrorTable, INVALID_INPUT, SHARED_ERRORS } from '../shared/error-table.js';

export const ERROR_TABLE: ErrorTable<TableErrorCode> = {
  ...SHARED_ERRORS,
  AtomFormatNotSupported: { status: 415, message: 'Atom format is not supported.' },
  CommandsInBatchActOnDifferentPartitions: {
    status: 400,
    message: 'All commands in a batch must operate on same entity group.',
  },
  DuplicatePropertiesSpecified: { status: 400, message: 'A property is specified more than one time.' },
  EntityAlreadyExists: { status: 409, message: 'The specified entity already exists.' },
  EntityTooLarge: { status: 400, message: 'The entity is larger than the maximum allowed size (1MB).' },
  InternalError: {
    status: 500,
    message: 'The server encountered an internal error. Please retry the request.',
  },
  InvalidDuplicateRow: {
    status: 400,
    message:
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
  },
  InvalidInput: INVALID_INPUT,
  'InvalidInput:BatchLength': {
    status: 400,
    message: 'The batch request operation exceeds the maximum 100 changes per change set.',
  },
  'InvalidInput:Body': { status: 400, message: 'An error occurred while processing this request.' },
  'InvalidInput:Etag': {
    status: 400,
    message:
      "The etag value '{etag}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.",
  },
  'InvalidInput:FilterSyntax': { status: 400, message: "Syntax error at position {position} in '{filter}'." },
  'InvalidInput:FilterTypes': {
    status: 400,
    message:
      "A binary operator with incompatible types was detected. Found operand types '{left}' and '{right}' for operator kind '{operator}'.",
  },
  'InvalidInput:IfNoneMatch': {
    status: 400,
    message: 'If-None-Match HTTP header cannot be specified for {method} requests.',
  },
  'InvalidInput:KeyCount': {
    status: 400,
    message:
      "The number of keys specified in the URI does not match number of key properties for the resource '{resource}'.",
  },
  'InvalidInput:KeyType': INVALID_INPUT,
  'InvalidInput:QuerySyntax': { status: 400, message: 'Bad Request - Error in query syntax.' },
  'InvalidInput:TwoConditions': {
    status: 400,
    message: 'Both If-Match and If-None-Match cannot be specified at the same time.',
  },
  'InvalidUri:TooLong': { status: 414, message: 'The request URL is too long.' },
  InvalidValueType: { status: 400, message: 'The value specified is invalid.' },
  JsonFormatNotSupported: { status: 415, message: 'JSON format is not supported.' },
  MediaTypeNotSupported: { status: 415, message: 'None of the provided media types are supported' },
  MethodNotAllowed: {
    status: 405,
    message: 'The requested method is not allowed on the specified resource.',
  },
  MissingRequiredHeader: { status: 400, message: 'A required HTTP header was not specified.' },
  NotImplemented: {
    status: 501,
    message: 'The requested operation is not implemented on the specified resource.',
  },
  OperationTimedOut: { status: 500, message: 'Operation could not be completed within the permitted time.' },
  OutOfRangeInput: { status: 400, message: 'One of the request inputs is out of range.' },
  'OutOfRangeInput:Parameter': {
    status: 400,
    message: "The '{name}' parameter of value '{value}' is out of range.",
  },
  PropertiesNeedValue: {
    status: 400,
    message: 'The values are not specified for all properties in the entity.',
  },
  PropertyNameInvalid: { status: 400, message: 'The property name is invalid.' },
  PropertyNameTooLong: {
    status: 400,
    message: 'The property name exceeds the maximum allowed length (255).',
  },
  PropertyValueTooLarge: {
    status: 400,
    message:
      'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
  },
  TableAlreadyExists: { status: 409, message: 'The table specified already exists.' },
  TableBeingDeleted: { status: 409, message: 'The specified table is being deleted.' },
  TableNotFound: { status: 404, message: 'The table specified does not exist.' },
  TooManyProperties: {
    status: 400,
    message:
      'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
  },
  UpdateConditionNotSatisfied: {
    status: 412,
    message: 'The update condition specified in the request was not satisfied.',
  },
  XMethodIncorrectCount: { status: 400, message: 'More than one X-HTTP-Method is specified.' },
  XMethodIncorrectValue: { status: 400, message: 'The specified X-HTTP-Method is invalid.' },
  XMethodNotUsingPost: {
    status: 400,
    message: 'The request uses X-HTTP-Method with an HTTP verb other than POST.',
  },
};
