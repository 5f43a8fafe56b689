// Which driver errors mean a cluster that is currently unable, and which mean faults of this program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import cassandra from 'cassandra-driver';
import { StoreError } from '#store';
import { failureOf, wasLate, wasNotBegun, wasUnheard } from './failure.js';

const { errors, types } = cassandra;
const CODES = types.responseErrorCodes;

const answered = (code: number): Error => new errors.ResponseError(code, 'as the cluster says');
const isBusy = (error: unknown): boolean => {
  const failure = failureOf(error);
  if (failure instanceof StoreError) return failure.code === 'busy' && failure.cause === error;
  assert.equal(failure, error);
  return false;
};

test('failure: each code of an answer', () => {
  const wrong: readonly number[] = [
    CODES.protocolError,
    CODES.syntaxError,
    CODES.unauthorized,
    CODES.invalid,
    CODES.configError,
    CODES.alreadyExists,
  ];
  const codes = Object.entries(CODES).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  assert(codes.length > wrong.length);
  for (const [name, code] of codes) assert.equal(isBusy(answered(code)), !wrong.includes(code), name);
  // Failures of newer protocols, unnamed in the driver: CAS_WRITE_UNKNOWN.
  assert.equal(isBusy(answered(0x1700)), true);
});

test('failure: what comes from outside is busy, what a caller does wrong is not', () => {
  const outside = [
    new errors.NoHostAvailableError({ '127.0.0.1:9042': new TypeError('of another') }),
    new errors.OperationTimedOutError('late', '127.0.0.1:9042'),
    new errors.BusyConnectionError('127.0.0.1:9042', 2048, 1),
    Object.assign(new Error('read ECONNRESET'), { isSocketError: true, code: 'ECONNRESET' }),
    new Error('No connection available'),
  ];
  for (const error of outside) assert.equal(isBusy(error), true, error.message);
  const own = [
    new TypeError('Expected Number'),
    new RangeError('out of it'),
    new SyntaxError('Cannot convert one to a BigInt'),
    new errors.ArgumentError('Parameters are wrong'),
    new errors.NotSupportedError('Not here'),
    new errors.DriverInternalError('Never'),
  ];
  for (const error of own) assert.equal(isBusy(error), false, error.message);
});

test('failure: only an error that certainly changes nothing was not begun', () => {
  assert.equal(wasNotBegun(answered(CODES.overloaded)), true);
  assert.equal(wasNotBegun(answered(CODES.isBootstrapping)), true);
  assert.equal(wasNotBegun(new errors.NoHostAvailableError({})), true);
  for (const code of [CODES.serverError, CODES.writeTimeout, CODES.writeFailure, CODES.unavailableException])
    assert.equal(wasNotBegun(answered(code)), false, String(code));
  assert.equal(wasNotBegun(new errors.OperationTimedOutError('late', '127.0.0.1:9042')), false);
});

test("failure: late is a node's report of its own timeout", () => {
  const late = Object.values(CODES).filter(code => wasLate(answered(Number(code))));
  assert.deepEqual(new Set(late.map(Number)), new Set([CODES.readTimeout, CODES.writeTimeout]));
  assert.equal(wasLate(new errors.OperationTimedOutError('late', '127.0.0.1:9042')), false);
});

test("failure: unknown tables and keyspaces, in Cassandra 5's words", () => {
  const invalid = (text: string): Error => new errors.ResponseError(CODES.invalid, text);
  for (const text of [
    "Keyspace 'shelfmark' doesn't exist",
    "Keyspace 'shelfmark' does not exist",
    'keyspace shelfmark does not exist',
    'table format does not exist',
    "Table 'shelfmark.row' doesn't exist",
  ])
    assert.equal(wasUnheard(invalid(text)), true, text);
  assert.equal(wasUnheard(invalid('Undefined column name version in table shelfmark.format')), false);
  assert.equal(wasUnheard(new errors.ResponseError(CODES.syntaxError, "Keyspace 'a' doesn't exist")), false);
  assert.equal(wasUnheard(new Error("Keyspace 'a' doesn't exist")), false);
});
