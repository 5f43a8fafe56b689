// The names of a projection, found in stored entities by comparing bytes, without decoding names.
// format-entity.ts adds system properties and formats the answer.
import { escapeText } from '#tables';

interface Wanted {
  /** The stored text of the name, which is equal for equal names. */
  readonly bytes: Buffer;
  /** The text for an entity without it. */
  readonly absent: string;
  /** The number of the last entity that has it. */
  seenIn: number;
}

export class Selection {
  readonly #wanted: readonly Wanted[];
  readonly #byLength = new Map<number, Wanted[]>();
  #entity = 0;
  #missing = 0;

  constructor(names: Iterable<string>) {
    this.#wanted = Array.from(names, name => {
      const text = escapeText(name);
      return { bytes: Buffer.from(text, 'latin1'), absent: `,"${text}":null`, seenIn: 0 };
    });
    for (const each of this.#wanted) {
      const { length } = each.bytes;
      const others = this.#byLength.get(length);
      if (others) others.push(each);
      else this.#byLength.set(length, [each]);
    }
  }

  /** Call it before the names of the next entity. */
  begin(): void {
    this.#entity += 1;
    this.#missing = this.#wanted.length;
  }

  /** The number of names that were not found in the entity. */
  get missing(): number {
    return this.#missing;
  }

  /** True if the name at `from`, of `length` bytes, is selected. An entity has each name once. */
  takes(bytes: Buffer, from: number, length: number): boolean {
    const candidates = this.#byLength.get(length);
    if (candidates === undefined) return false;
    for (const candidate of candidates) {
      if (isAt(bytes, from, candidate.bytes)) {
        candidate.seenIn = this.#entity;
        this.#missing -= 1;
        return true;
      }
    }
    return false;
  }

  /** Null for each name that the entity does not have, with a comma before each. */
  absent(): string {
    let text = '';
    for (const each of this.#wanted) if (each.seenIn !== this.#entity) text += each.absent;
    return text;
  }
}

/** True if the bytes at `from` are `expected`. */
export function isAt(bytes: Buffer, from: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[from + i] !== expected[i]) return false;
  return true;
}
