// A map that tells its entries in the order of JavaScript's `<` on strings. The order is made when it is first asked for and
// kept up from then on: maps that nobody asks cost little more than a `Map`. What is in it is not known here.
import { firstFrom } from '#base';

/** Keys that are gone stay in the order, until they are more than the others and these. */
const GONE_MAX = 64;

export class OrderedMap<V extends NonNullable<unknown>> {
  readonly #values = new Map<string, V>();
  /** All keys of the map, and some that are gone. */
  #order: string[] | undefined;

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    if (this.#order !== undefined) this.#place(this.#order, key);
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** In order, from `from` on, without `until` and what is after it. The map must not change meanwhile. */
  forEachWithin(from: string, until: string | undefined, visit: (value: V, key: string) => void): void {
    // Without a function to compare by, it is by UTF-16 code units, as `<` does.
    this.#order ??= [...this.#values.keys()].sort();
    const order = this.#order;
    for (let index = firstFrom(order, from); index < order.length; index += 1) {
      const key = order[index];
      if (key === undefined || (until !== undefined && key >= until)) return;
      const value = this.#values.get(key);
      if (value !== undefined) visit(value, key);
    }
  }

  #place(order: string[], key: string): void {
    if (this.#values.has(key)) return;
    if (order.length >= 2 * this.#values.size + GONE_MAX) {
      this.#order = undefined;
      return;
    }
    const last = order.at(-1);
    if (last === undefined || last < key) {
      order.push(key);
      return;
    }
    const index = firstFrom(order, key);
    if (order[index] !== key) order.splice(index, 0, key);
  }
}
