// Entities, values and counts near the service's limits (docs/protocol/data-model.md): if they grow further they will be refused.
import type { Property, Row } from '../line/row.js';
import { valueSize } from '../stats/table-stats.js';
import { type Finding, percent, type Rule } from './finding.js';

const NEAR = 0.7;
const ENTITY_BYTES_MAX = 1_048_576;
const VALUE_BYTES_MAX = 65_536;
const PROPERTIES_MAX = 252;
/** The length prefix of a String or Binary, in bytes. */
const LENGTH_BYTES = 4;

interface Most {
  readonly value: number;
  readonly row: Row;
  readonly name?: string;
}

const LIMITS = [
  {
    key: 'entity',
    limit: ENTITY_BYTES_MAX,
    what: (value: number) => `An entity has ${value} bytes`,
    pattern:
      'Large entities pattern: keep long values in blobs. Wide entities pattern: split it over several rows.',
  },
  {
    key: 'value',
    limit: VALUE_BYTES_MAX,
    what: (value: number, name = '') => `Property ${JSON.stringify(name)} has ${value} bytes in one entity`,
    pattern: 'Large entities pattern: keep the value in a blob, or split it over several properties.',
  },
  {
    key: 'properties',
    limit: PROPERTIES_MAX,
    what: (value: number) => `An entity has ${value} properties`,
    pattern:
      'Wide entities pattern: split it over several rows of one partition. Data series pattern: keep a series in one property.',
  },
] as const;

const isLong = ({ type }: Property): boolean => type === 'String' || type === 'Binary';

export class Oversize implements Rule {
  readonly #most = new Map<string, Most>();

  add(row: Row, bytes: number): void {
    this.#count('entity', { value: bytes, row });
    this.#count('properties', { value: row.properties.length, row });
    for (const property of row.properties) {
      // A short literal cannot be a long value, and most are short.
      if (property.literal.length * 2 <= VALUE_BYTES_MAX * NEAR || !isLong(property)) continue;
      this.#count('value', { value: valueSize(property) - LENGTH_BYTES, row, name: property.name });
    }
  }

  #count(key: string, most: Most): void {
    const before = this.#most.get(key);
    if (before === undefined || most.value > before.value) this.#most.set(key, most);
  }

  findings(): readonly Finding[] {
    return LIMITS.flatMap(({ key, limit, what, pattern }) => {
      const most = this.#most.get(key);
      if (most === undefined || most.value <= limit * NEAR) return [];
      const { partitionKey, rowKey } = most.row;
      return [
        {
          rule: 'oversize' as const,
          says: `${what(most.value, most.name)}, ${percent(most.value / limit)} of what the service keeps (${limit}).`,
          evidence: {
            PartitionKey: partitionKey,
            RowKey: rowKey,
            ...(most.name !== undefined && { property: most.name }),
            value: most.value,
            limit,
          },
          pattern,
        },
      ];
    });
  }
}
