// Schema drift: a stored property is taken as it is, widened to the type in the definition, or handled by the drift policy. coerce.ts is one of them.
import { checkJson } from '../values/check-value.js';
import type { Instant } from '../values/instant.js';
import { type Drift, PatternError, type RowAddress } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { type BagValue, type TypedValue, typedIn } from '../values/typed-value.js';
import type { AnyEntity, Field } from './definition.js';

/** A drift, with what is there. */
export interface FoundDrift extends Drift {
  readonly value: BagValue | undefined;
  /** What a value of the type that is wanted is read as: of JSON, what its schema gives. Throws TypeDrift, or asks again, where the property's check refuses it. */
  readonly passed: (value: BagValue) => unknown;
}

/** What becomes of a stored property that is not what the entity says: refused, or what the function gives. */
export type DriftPolicy = 'throw' | ((drift: FoundDrift) => unknown);

/** Throws TypeDrift. */
export function refuseDrift(drift: Drift & Partial<FoundDrift>): never {
  const { value: _, passed: __, ...detail } = drift;
  throw new PatternError('TypeDrift', detail);
}

export class FieldReader {
  readonly #entity: AnyEntity;
  readonly #address: RowAddress;
  readonly #timestamp: Instant | undefined;
  readonly #policy: DriftPolicy;

  constructor(
    entity: AnyEntity,
    { table, partitionKey, rowKey, timestamp }: RowAddress & { readonly timestamp: Instant | undefined },
    policy: DriftPolicy,
  ) {
    this.#entity = entity;
    this.#address = { table, partitionKey, rowKey };
    this.#timestamp = timestamp;
    this.#policy = policy;
  }

  /** The property's value, which may stand in pieces; undefined if there is none. Throws TypeDrift. */
  read(field: Field, row: WireObject): unknown {
    const { wire, annotation, property } = field;
    if (property.pieces === undefined) {
      const typed = typedIn(row, wire, annotation);
      return typed === undefined ? this.missing(field) : this.accept(field, typed);
    }
    const joined = property.pieces.join(wire, name => typedIn(row, name));
    if (joined === undefined) return this.missing(field);
    return 'typed' in joined
      ? this.accept(field, joined.typed)
      : this.#drift(field, 'missing', undefined, joined.fault);
  }

  /** The value of a property that the row does not have. A row that has no time of a write was not written after its Timestamp. */
  missing(field: Field): unknown {
    const { presence, filling } = field.property;
    if (filling?.kind === 'default') return filling.give();
    if (filling !== undefined && this.#timestamp !== undefined) return this.#timestamp;
    return presence === 'optional' ? undefined : this.#drift(field, 'missing', undefined, 'it is not there');
  }

  /** Int32 is also what whole numbers become that were written without a type, so it is taken where more fits. */
  accept(field: Field, typed: TypedValue): unknown {
    const { edm } = field.property;
    const { type, value } = typed;
    if (type === edm || (type === 'Int32' && edm === 'Double')) return this.#passed(field, typed);
    return type === 'Int32' && edm === 'Int64'
      ? this.#passed(field, { type: edm, value: BigInt(Number(value)) })
      : this.#drift(field, type, typed, `it is stored as ${type}`);
  }

  #passed(field: Field, typed: TypedValue): unknown {
    const { property, name } = field;
    if (property.json === undefined && property.checks.length === 0) return typed.value;
    try {
      return checkJson(property, property.json ? JSON.parse(String(typed.value)) : typed.value, name);
    } catch (thrown) {
      if (PatternError.is(thrown, 'ValueInvalid'))
        return this.#drift(field, 'check', typed, thrown.detail.reason);
      if (thrown instanceof SyntaxError) return this.#drift(field, 'check', typed, 'its text is not JSON');
      throw thrown;
    }
  }

  #drift(field: Field, found: Drift['found'], typed: TypedValue | undefined, reason: string): unknown {
    const expected = field.property.edm;
    const { name: property } = field;
    const drift: Drift = { ...this.#address, entity: this.#entity.name, property, expected, found, reason };
    if (this.#policy === 'throw') return refuseDrift(drift);
    const passed = (value: BagValue): unknown => this.#passed(field, { type: expected, value });
    return this.#policy({ ...drift, value: typed?.value, passed });
  }
}
