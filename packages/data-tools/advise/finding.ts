// The parts of advice: a rule looks at every row and then returns its finding, with numbers.
import type { Row } from '../line/row.js';

/** Names are those of docs/data-tools.md. */
export type RuleName = 'hot-partition' | 'append-only' | 'key-hygiene' | 'oversize' | 'type-drift';

export interface Finding {
  readonly rule: RuleName;
  /** One sentence: the observation, with its figures. */
  readonly says: string;
  /** The figures, and an example where there is one. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** The pattern of the Table design guide, or another remedy. */
  readonly pattern: string;
}

export interface Rule {
  /** Rows come in the order of their keys. `bytes` is the entity's size as Azure counts it. */
  add(row: Row, bytes: number): void;
  /** The rows before this were the last of the partition. */
  end?(partition: string): void;
  findings(): readonly Finding[];
}

/** `12.3 %` */
export const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
