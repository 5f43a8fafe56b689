// Keys that do not sort as intended, or that clients have trouble with: numbers without leading zeros, characters that
// Azure refuses, spaces at the ends, keys that differ only in case, long keys. Each fault is reported once per key,
// with its count and an example.
import type { Row } from '../line/row.js';
import { type Finding, percent, type Rule } from './finding.js';

/** Azure refuses these in keys (docs/protocol/data-model.md). */
const FORBIDDEN = /[/\\#?\u0000-\u001f\u007f-\u009f]/;
const SPACED = /^\s|\s$/;
/** Keys may have 512 characters on the emulator and 1 KiB on Azure: half of it is long. */
const LONG_UNITS = 256;
/** Keys that are searched for case twins, at a time. */
const TWINS_MAX = 50_000;
/** Most keys must have a number before its order is a finding: a few digits in a hash are chance. */
const NUMBERED_SHARE = 0.5;
/** A number with a separator or an end on both sides: `7`, `order-7`, `7_2020`. */
const NUMBER = /^((?:.*?[^0-9A-Za-z])?[A-Za-z]*)(\d{1,15})(?=$|[^0-9A-Za-z])/s;

const FAULTS = {
  'unpadded numbers': {
    says: 'have numbers of several widths, so that 10 sorts before 9',
    pattern: 'Compound key: write numbers with leading zeros, all of one width.',
  },
  'forbidden characters': {
    says: 'have characters that Azure refuses (/ \\ # ? and control characters)',
    pattern: 'Encode what keys are made of, before the data moves to Azure.',
  },
  'spaces at an end': {
    says: 'begin or end with a space',
    pattern: 'Trim what keys are made of.',
  },
  'case twins': {
    says: 'differ from another key in case alone',
    pattern: 'Write one case: keys are compared by case.',
  },
  'long keys': {
    says: `have more than ${LONG_UNITS} characters, which each row and each index repeats`,
    pattern: 'Use a short id or a hash, and keep the text in a property.',
  },
} as const;

type Fault = keyof typeof FAULTS;

class KeyFaults {
  readonly #key: 'PartitionKey' | 'RowKey';
  readonly #found = new Map<Fault, { count: number; readonly example: string }>();
  readonly #folded = new Set<string>();
  #keys = 0;
  #numbered = 0;
  #prefix: string | undefined;
  #number = 0;

  constructor(key: 'PartitionKey' | 'RowKey') {
    this.#key = key;
  }

  /** For row keys: the next partition has an order of its own. */
  end(): void {
    this.#folded.clear();
    this.#prefix = undefined;
  }

  /** Keys come in their order, each once. */
  add(key: string): void {
    this.#keys++;
    if (FORBIDDEN.test(key)) this.#count('forbidden characters', key);
    if (SPACED.test(key)) this.#count('spaces at an end', key);
    if (key.length > LONG_UNITS) this.#count('long keys', key);
    this.#addCase(key);
    this.#addNumber(key);
  }

  #count(fault: Fault, example: string): void {
    const found = this.#found.get(fault);
    if (found === undefined) this.#found.set(fault, { count: 1, example });
    else found.count++;
  }

  #addCase(key: string): void {
    const folded = key.toLowerCase();
    if (this.#folded.has(folded)) this.#count('case twins', key);
    else if (this.#folded.size < TWINS_MAX) this.#folded.add(folded);
  }

  /** For keys in order with equal prefixes, a number less than the one before is out of order. */
  #addNumber(key: string): void {
    const found = NUMBER.exec(key);
    if (found === null) return;
    this.#numbered++;
    const [, prefix = '', digits = ''] = found;
    const number = Number(digits);
    if (prefix === this.#prefix && number < this.#number) this.#count('unpadded numbers', key);
    this.#prefix = prefix;
    this.#number = number;
  }

  findings(): readonly Finding[] {
    if (this.#numbered < this.#keys * NUMBERED_SHARE) this.#found.delete('unpadded numbers');
    const [key, of] = [this.#key, this.#keys];
    return (Object.keys(FAULTS) as Fault[]).flatMap(fault => {
      const found = this.#found.get(fault);
      if (found === undefined) return [];
      const { says, pattern } = FAULTS[fault];
      const { count, example } = found;
      return {
        rule: 'key-hygiene' as const,
        says: `${count} of ${of} ${key}s (${percent(count / of)}) ${says}, for example ${JSON.stringify(example)}.`,
        evidence: { key, fault, count, of, example },
        pattern,
      };
    });
  }
}

export class KeyHygiene implements Rule {
  readonly #partitionKeys = new KeyFaults('PartitionKey');
  readonly #rowKeys = new KeyFaults('RowKey');

  add({ rowKey }: Row): void {
    this.#rowKeys.add(rowKey);
  }

  end(partition: string): void {
    this.#partitionKeys.add(partition);
    this.#rowKeys.end();
  }

  findings(): readonly Finding[] {
    return [...this.#partitionKeys.findings(), ...this.#rowKeys.findings()];
  }
}
