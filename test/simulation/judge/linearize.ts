// Whether a history of one object can be explained by some order of its calls, each at a moment between its beginning and its
// end: the search of Wing and Gong, one answer after the other, with every configuration kept once (Lowe's just-in-time form).
// What the calls mean is the model's matter.

export interface Invocation<Question> {
  readonly step: number;
  readonly invoked: number;
  readonly answered: number;
  /** False if the answer is unknown: it may have happened in its time, or never. */
  readonly required: boolean;
  /** What was asked, with its answer. */
  readonly question: Question;
}

export interface Model<State, Question> {
  readonly initial: State;
  /** Equal for indistinguishable states. */
  key(state: State): string;
  /** For people, if the key is not. */
  describe?(state: State): string;
  /** Equal for calls without answers that have the same effect; undefined for all others. */
  twin?(question: Question): string | undefined;
  /** The possible states after the call gave this answer; none if it cannot have given it. */
  apply(state: State, question: Question): readonly State[];
}

/** The first answer that nothing explains, and the states that were possible before it. */
export interface Unexplained<State> {
  readonly step: number;
  /** When the call with this answer began. */
  readonly invoked: number;
  readonly states: readonly State[];
}

/** The possible states of an object before a history, and then after it. */
export interface Course<State> {
  states: readonly State[];
}

interface Configuration<State> {
  readonly state: State;
  /** Calls that have taken effect and are not answered yet. */
  readonly done: ReadonlySet<number>;
}

/** This simulation never produces more, and a search that continued would not end either. */
const CONFIGURATIONS_MAX = 100_000;

/** The history then stays undecided. */
export class TooManyExplanations extends Error {}

function twinsOf<State, Question>(
  calls: readonly Invocation<Question>[],
  model: Model<State, Question>,
): ReadonlyMap<number, readonly number[]> {
  const alike = new Map<string, number[]>();
  const twins = new Map<number, readonly number[]>();
  for (const [at, { required, question, answered }] of calls.entries()) {
    const effect = required ? undefined : model.twin?.(question);
    if (effect === undefined) continue;
    const before = alike.get(effect) ?? [];
    const earlier = before.filter(other => (calls[other]?.answered ?? 0) <= answered);
    twins.set(at, earlier);
    alike.set(effect, [...before, at]);
  }
  return twins;
}

class Search<State, Question> {
  readonly #model: Model<State, Question>;
  readonly #calls: readonly Invocation<Question>[];
  readonly #pending = new Set<number>();
  /** For a call without an answer, those before it with the same effect that end no later. */
  readonly #twins: ReadonlyMap<number, readonly number[]>;
  #configurations: Map<string, Configuration<State>>;

  constructor(
    calls: readonly Invocation<Question>[],
    model: Model<State, Question>,
    initial: readonly State[],
  ) {
    this.#calls = calls;
    this.#model = model;
    this.#twins = twinsOf(calls, model);
    this.#configurations = new Map();
    for (const state of initial) this.#keep(this.#configurations, { state, done: new Set() });
  }

  get states(): readonly State[] {
    return [...this.#configurations.values()].map(({ state }) => state);
  }

  #keep(into: Map<string, Configuration<State>>, configuration: Configuration<State>): boolean {
    const done = [...configuration.done].sort((a, b) => a - b).join();
    const key = `${done}|${this.#model.key(configuration.state)}`;
    if (into.has(key)) return false;
    into.set(key, configuration);
    if (into.size > CONFIGURATIONS_MAX)
      throw new TooManyExplanations('The history has too many explanations to search.');
    return true;
  }

  /** The result of a configuration when `call` has taken effect, after other pending calls or not. */
  #effects(from: Configuration<State>, call: number, into: Map<string, Configuration<State>>): void {
    const seen = new Map<string, Configuration<State>>();
    const waiting = [from];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      for (const other of this.#pending) {
        if (next.done.has(other)) continue;
        const invocation = this.#calls[other];
        // Whatever this one explains, the one before it explains too: twenty of them have twenty explanations, not 2^20.
        const isNeedless = this.#twins.get(other)?.some(at => this.#pending.has(at) && !next.done.has(at));
        if (!invocation || isNeedless) continue;
        for (const state of this.#model.apply(next.state, invocation.question)) {
          if (other === call) this.#keep(into, { state, done: next.done });
          else {
            const further = { state, done: new Set([...next.done, other]) };
            if (this.#keep(seen, further)) waiting.push(further);
          }
        }
      }
    }
  }

  #answer(call: number, required: boolean): boolean {
    const left = new Map<string, Configuration<State>>();
    for (const configuration of this.#configurations.values()) {
      if (configuration.done.has(call)) {
        const done = new Set(configuration.done);
        done.delete(call);
        this.#keep(left, { state: configuration.state, done });
        continue;
      }
      if (!required) this.#keep(left, configuration);
      this.#effects(configuration, call, left);
    }
    this.#pending.delete(call);
    if (left.size === 0) return false;
    this.#configurations = left;
    return true;
  }

  run(): Unexplained<State> | undefined {
    const moments = this.#calls.flatMap(({ invoked, answered }, call) => [
      { time: invoked, call, isEnd: false },
      { time: answered, call, isEnd: true },
    ]);
    moments.sort((a, b) => a.time - b.time);
    for (const { call, isEnd } of moments) {
      const invocation = this.#calls[call];
      if (!invocation) continue;
      if (!isEnd) this.#pending.add(call);
      else if (!this.#answer(call, invocation.required)) {
        return { step: invocation.step, invoked: invocation.invoked, states: this.states };
      }
    }
    return undefined;
  }
}

/** Undefined if there is an order; then `course` has the states after it. */
export function linearize<State, Question>(
  calls: readonly Invocation<Question>[],
  model: Model<State, Question>,
  course: Course<State> = { states: [model.initial] },
): Unexplained<State> | undefined {
  const search = new Search(calls, model, course.states);
  const unexplained = search.run();
  if (unexplained === undefined) course.states = search.states;
  return unexplained;
}
