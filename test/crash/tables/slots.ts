// The sets of rows that writers reserve, one at a time, so that every row has one writer and one history.
import type { Random } from '../../simulation/plan/random.js';
import { History } from '../history.js';
import { Chooser } from './choice.js';

export interface Slot {
  readonly history: History;
  readonly chooser: Chooser;
}

export class Slots {
  readonly all: Slot[] = [];
  readonly #random: Random;
  #free: Slot[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  take(): Slot {
    const slot = this.#free.pop();
    if (slot !== undefined) return slot;
    const number = this.all.length;
    const made = { history: new History(`writer ${number}`), chooser: new Chooser(number, this.#random) };
    this.all.push(made);
    return made;
  }

  /** All outcomes are known again, and no writer runs. */
  release(): void {
    this.#free = [...this.all];
  }
}
