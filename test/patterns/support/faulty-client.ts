// An HTTP client that fails as networks, services and processes do: before a request was sent, or after it was done and before the answer arrived. A plan may also do something before a request, and a look behind
// its answer.
import {
  createDefaultHttpClient,
  createHttpHeaders,
  type HttpClient,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from '@azure/core-rest-pipeline';

/** `reset`: the connection breaks. `busy`: the service answers 503. `failed`: it answers 500. `late`: the request goes out after others that were sent behind it. */
export const FAULTS = [
  'reset before',
  'reset after',
  'busy before',
  'busy after',
  'failed after',
  'late',
] as const;
/** `mute`: it is done, and no answer ever comes. */
export type Fault = (typeof FAULTS)[number] | 'mute after';
/** The process ends there: nothing that it sends later goes out. */
type Death = 'dies before' | 'dies after';

/** Those that `npm test` has time for. */
export const SOME_FAULTS: readonly Fault[] =
  process.env.SHELFMARK_LONG === undefined ? ['reset after', 'busy before'] : FAULTS;

/** A fault of any kind at so many of the requests, by chance. */
export const disturbed =
  (share: number, chance: () => number): FaultPlan =>
  () =>
    chance() < share ? FAULTS[Math.floor(chance() * FAULTS.length)] : undefined;

/** Longer than a request takes here. */
const LATE_MILLISECONDS = 5;

type Fate = Fault | Death | undefined;
/** What becomes of the n-th request, from 0; undefined lets it pass, when what the plan does first is done. */
export type FaultPlan = (index: number, request: PipelineRequest) => Fate | Promise<Fate>;
/** Sees each request with its answer; undefined if none arrived. */
type Look = (request: PipelineRequest, answer: PipelineResponse | undefined) => unknown;

const client = createDefaultHttpClient();

/** Throws when who waits for the answer has waited long enough. */
const untilAborted = ({ abortSignal }: PipelineRequest): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(Object.assign(new Error('No answer.'), { name: 'AbortError' }));
    abortSignal?.addEventListener('abort', abort);
    if (abortSignal?.aborted) abort();
  });

export class FaultyClient implements HttpClient {
  /** Requests that came here, whatever became of them. */
  count = 0;
  /** Requests under way at a time, now and at most. */
  underWay = 0;
  most = 0;
  isDead = false;
  readonly #plan: FaultPlan;
  readonly #look: Look;

  constructor(plan: FaultPlan = () => undefined, look: Look = () => undefined) {
    this.#plan = plan;
    this.#look = look;
  }

  /** How many come here while something is done. */
  async counted(act: () => Promise<unknown>): Promise<number> {
    const before = this.count;
    await act();
    return this.count - before;
  }

  async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
    this.most = Math.max(this.most, ++this.underWay);
    let answer: PipelineResponse | undefined;
    try {
      answer = await this.#answer(request);
      return answer;
    } finally {
      this.underWay--;
      await this.#look(request, answer);
    }
  }

  async #answer(request: PipelineRequest): Promise<PipelineResponse> {
    // No code that a client tries again after.
    const end = new RestError('The process has ended.', { code: 'ENDED', request });
    if (this.isDead) throw end;
    const fault = await this.#plan(this.count++, request);
    if (fault === 'late') await new Promise(resolve => setTimeout(resolve, LATE_MILLISECONDS));
    if (fault === undefined || fault === 'late') return client.sendRequest(request);
    this.isDead ||= fault.startsWith('dies');
    if (fault.endsWith('after')) await client.sendRequest(request);
    if (this.isDead) throw end;
    if (fault === 'mute after') await untilAborted(request);
    if (fault.startsWith('reset'))
      throw new RestError('The connection was reset.', { code: 'ECONNRESET', request });
    const status = fault.startsWith('busy') ? 503 : 500;
    return { request, status, headers: createHttpHeaders(), bodyAsText: '' };
  }
}

/** The same fault at some requests. */
export const faultAt =
  (fault: Fault | Death, ...indexes: readonly number[]): FaultPlan =>
  index =>
    indexes.includes(index) ? fault : undefined;

/** Does something else before the first requests of this method. */
export function before(method: string, act: () => Promise<unknown>, times = 1): FaultPlan {
  let left = times;
  return async (_, request) => {
    if (request.method === method && left-- > 0) await act();
    return undefined;
  };
}

/** The request of this number waits until it is released. */
export function heldAt(at: number) {
  let [reach, release] = [(): void => undefined, (): void => undefined];
  const reached = new Promise<void>(resolve => {
    reach = resolve;
  });
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  const plan: FaultPlan = async index => {
    if (index !== at) return undefined;
    reach();
    await released;
    return undefined;
  };
  return { plan, reached, release };
}
