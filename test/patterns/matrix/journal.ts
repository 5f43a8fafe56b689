// Records the successful runs of the crash matrix, one per line of a file, so that a long run can be stopped and resumed. Failed runs are not recorded, so they run again.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Plan, Ran } from './run-case.js';

interface Line {
  readonly of: string;
  readonly plan: Plan;
  readonly ran: Ran;
}

const keyOf = (of: string, { program, worker, rival = [], isTwice }: Plan): string =>
  JSON.stringify([of, program, worker, rival, isTwice]);

/** Of one process: two that share a file may do the same runs. */
export class Journal {
  readonly #file: string;
  readonly #runs = new Map<string, Ran>();

  constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const lines = text.split('\n');
    // A last line that is torn goes: its run comes again.
    const torn = lines.pop();
    if (torn) writeFileSync(file, text.slice(0, -torn.length));
    for (const line of lines) {
      const { of, plan, ran } = JSON.parse(line) as Line;
      this.#runs.set(keyOf(of, plan), ran);
    }
  }

  /** What an earlier run of this plan found; undefined where there was none. */
  find(of: string, plan: Plan): Ran | undefined {
    return this.#runs.get(keyOf(of, plan));
  }

  note(of: string, plan: Plan, ran: Ran): void {
    const line: Line = { of, plan, ran };
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    this.#runs.set(keyOf(of, plan), ran);
  }
}
