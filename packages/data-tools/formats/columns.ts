// Which properties a table has, with which types, so that each gets its columns: CSV and Parquet need this before their
// first row. A first pass over the rows collects it.
import { compareText, EDM_TYPES, type EdmType, type Row } from '../line/row.js';
import { ToolError } from '../source/tool-error.js';

/**
 * A row has a cell in every column, so a table with many names becomes large: beyond this, lines are the format for it.
 * Excel ends at 16,384.
 */
export const NAMES_MAX = 8_000;

/** UTF-8 cannot encode half a surrogate pair, so a text file needs an escape for it. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

export interface Column {
  readonly name: string;
  /** In the order of EDM_TYPES. */
  readonly types: readonly EdmType[];
}

export class Columns {
  readonly #types = new Map<string, Set<EdmType>>();
  #isPlain = true;

  /** @throws ToolError usage, for one name too many. */
  add({ partitionKey, rowKey, properties }: Row): void {
    if (this.#isPlain) this.#isPlain = isWellFormed(partitionKey) && isWellFormed(rowKey);
    for (const { name, type } of properties) {
      const types = this.#types.get(name);
      if (types !== undefined) types.add(type);
      else this.#addName(name, type);
    }
  }

  #addName(name: string, type: EdmType): void {
    if (this.#types.size >= NAMES_MAX)
      throw new ToolError(
        'usage',
        `A table of more than ${NAMES_MAX} names of properties has too many columns: dump it with --format jsonl.`,
      );
    this.#types.set(name, new Set([type]));
  }

  /** Whether UTF-8 can encode every key without an escape. */
  get hasPlainKeys(): boolean {
    return this.#isPlain;
  }

  /** By name in UTF-16 order. */
  list(): readonly Column[] {
    return [...this.#types]
      .map(([name, types]) => ({ name, types: EDM_TYPES.filter(type => types.has(type)) }))
      .sort((a, b) => compareText(a.name, b.name));
  }
}
