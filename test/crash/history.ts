// The history of one writer: its requests and their answers in order, and the judge of the state after a failure. The state must be
// the outcome of a prefix of that history, at least up to the last acknowledged write and at most up to the last request. So no
// acknowledged write is lost, none is partial, and no deleted row returns. Each row has one writer.

/** A row or a table at one moment. */
export interface Image {
  readonly text: string;
  /** The tick in its ETag; undefined where no answer arrived. A table has 0. */
  readonly tick: bigint | undefined;
}

/** All there is, by its path: `table`, or `table/partition/row`. */
export type Found = ReadonlyMap<string, { readonly text: string; readonly tick: bigint }>;

/** What a step makes of what it touches; undefined is taken away. */
export type Changes = ReadonlyMap<string, Image | undefined>;

interface Step {
  changes: Changes;
  /** Positions (journal.ts). */
  readonly askedAt: number;
  answeredAt: number | undefined;
}

/** A step answered up to `answeredBy` must be there, one asked after `askedBy` cannot be. */
export interface Moment {
  readonly answeredBy: number;
  readonly askedBy: number;
}

export const THE_END: Moment = {
  answeredBy: Number.POSITIVE_INFINITY,
  askedBy: Number.POSITIVE_INFINITY,
};

export class History {
  readonly owner: string;
  readonly #steps: Step[] = [];
  /** As it was found when the history began. */
  #base = new Map<string, Image>();

  constructor(owner: string) {
    this.owner = owner;
  }

  get stepCount(): number {
    return this.#steps.length;
  }

  ask(changes: Changes, position: number): void {
    this.#steps.push({ changes, askedAt: position, answeredAt: undefined });
  }

  /** The step asked for last was acknowledged, with these ticks. */
  acknowledge(ticks: ReadonlyMap<string, bigint>, position: number): void {
    const step = this.#steps.at(-1);
    if (step === undefined) throw new Error('Nothing was asked for.');
    step.changes = new Map(
      [...step.changes].map(([path, image]) => [
        path,
        image && { text: image.text, tick: ticks.get(path) ?? image.tick },
      ]),
    );
    step.answeredAt = position;
  }

  /** The step asked for last was refused, as it should be. */
  forget(): void {
    this.#steps.pop();
  }

  /** What is there if all steps are. */
  state(): Map<string, Image> {
    const state = new Map(this.#base);
    for (const { changes } of this.#steps) apply(changes, state);
    return state;
  }

  /** Every path that it has named. */
  paths(): Set<string> {
    const paths = new Set(this.#base.keys());
    for (const { changes } of this.#steps) for (const path of changes.keys()) paths.add(path);
    return paths;
  }

  /** Why this cannot have come of it; undefined if it can. */
  faultOf(found: Found, moment: Moment): string | undefined {
    const least = this.#steps.filter(
      ({ answeredAt }) => answeredAt !== undefined && answeredAt <= moment.answeredBy,
    ).length;
    const most = this.#steps.filter(({ askedAt }) => askedAt < moment.askedBy).length;
    const comparison = new Comparison(this.#base, found, this.paths());
    let nearest: readonly string[] | undefined;
    for (let count = 0; count <= most; count += 1) {
      if (count > 0) comparison.apply(this.#steps[count - 1]?.changes ?? new Map());
      if (count < least) continue;
      if (comparison.wrong.size === 0) return undefined;
      if (nearest === undefined || comparison.wrong.size < nearest.length) nearest = comparison.differences();
    }
    return `${this.owner}: of ${this.#steps.length} steps ${least} to ${most} must be there, and none of these fits; nearest:\n  ${nearest?.slice(0, 5).join('\n  ')}`;
  }

  /** What was found is the beginning of what comes next. */
  settle(found: Found): void {
    const base = new Map<string, Image>();
    for (const path of this.paths()) {
      const image = found.get(path);
      if (image !== undefined) base.set(path, image);
    }
    this.#base = base;
    this.#steps.length = 0;
  }
}

function apply(changes: Changes, state: Map<string, Image>): void {
  for (const [path, image] of changes) {
    if (image === undefined) state.delete(path);
    else state.set(path, image);
  }
}

/** Steps go on one by one while what differs from the find is kept up to date. */
class Comparison {
  readonly wrong = new Set<string>();
  readonly #state = new Map<string, Image>();
  readonly #found: Found;
  /** The greatest tick acknowledged so far: what came after it has a greater one. */
  #floor = 0n;

  constructor(base: ReadonlyMap<string, Image>, found: Found, paths: ReadonlySet<string>) {
    this.#found = found;
    for (const path of paths) if (found.has(path)) this.wrong.add(path);
    this.apply(base);
  }

  apply(changes: Changes): void {
    for (const [path, image] of changes) {
      if (image === undefined) this.#state.delete(path);
      else this.#state.set(path, image);
      if (this.#isRight(path)) this.wrong.delete(path);
      else this.wrong.add(path);
    }
    for (const image of changes.values()) {
      if (image?.tick !== undefined && image.tick > this.#floor) this.#floor = image.tick;
    }
  }

  differences(): string[] {
    return [...this.wrong].map(
      path => `${path}: expected ${shown(this.#state.get(path))}, found ${shown(this.#found.get(path))}`,
    );
  }

  #isRight(path: string): boolean {
    const [expected, found] = [this.#state.get(path), this.#found.get(path)];
    if (expected === undefined || found === undefined) return expected === undefined && found === undefined;
    if (expected.text !== found.text) return false;
    return expected.tick === undefined ? found.tick > this.#floor : expected.tick === found.tick;
  }
}

const SHOWN_MAX = 90;

function shown(image: Image | undefined): string {
  if (image === undefined) return 'nothing';
  const { text, tick } = image;
  return `${text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}… (${text.length})` : text} at ${tick ?? 'any time'}`;
}

/** Of all histories together; paths that no history knows are faults too. */
export function faultsOf(histories: readonly History[], found: Found, moment: Moment): string[] {
  const known = new Set(histories.flatMap(history => [...history.paths()]));
  const strange = [...found.keys()].filter(path => !known.has(path));
  const faults = histories
    .map(history => history.faultOf(found, moment))
    .filter(fault => fault !== undefined);
  return [...faults, ...strange.map(path => `${path} is there, and nobody wrote it.`)];
}
