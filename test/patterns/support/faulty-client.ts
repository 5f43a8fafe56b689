// An HTTP client that fails as networks and services do: before a request was sent, or after it was done and before the answer arrived. Given to the library
// by the option that real clients go through.
import {
  createDefaultHttpClient,
  createHttpHeaders,
  type HttpClient,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from '@azure/core-rest-pipeline';

/** `reset`: the connection breaks. `busy`: the service answers 503. `failed`: it answers 500. `late`: the request goes out after others that were sent behind it. */
export type Fault = 'reset before' | 'reset after' | 'busy before' | 'busy after' | 'failed after' | 'late';

export const FAULTS: readonly Fault[] = [
  'reset before',
  'reset after',
  'busy before',
  'busy after',
  'failed after',
  'late',
];

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

/** What becomes of the n-th request, from 0; undefined lets it pass. */
export type FaultPlan = (index: number, request: PipelineRequest) => Fault | undefined;

export class FaultyClient implements HttpClient {
  /** Requests that came here, whatever became of them. */
  count = 0;
  readonly #plan: FaultPlan;
  readonly #client = createDefaultHttpClient();

  constructor(plan: FaultPlan) {
    this.#plan = plan;
  }

  async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
    const fault = this.#plan(this.count++, request);
    if (fault === undefined) return this.#client.sendRequest(request);
    if (fault === 'late') {
      await new Promise(resolve => setTimeout(resolve, LATE_MILLISECONDS));
      return this.#client.sendRequest(request);
    }
    if (fault.endsWith('after')) await this.#client.sendRequest(request);
    if (fault.startsWith('reset'))
      throw new RestError('The connection was reset.', { code: 'ECONNRESET', request });
    const status = fault.startsWith('busy') ? 503 : 500;
    return { request, status, headers: createHttpHeaders(), bodyAsText: '' };
  }
}

/**
 * Answers are lost by chance, but only one of each request: clients give up after a few attempts. Attempts of a request
 * have one id.
 */
export function losesAnswers(share: number, chance: () => number): FaultPlan {
  const lost = new Set<string>();
  return (_, { headers, requestId }) => {
    const id = headers.get('x-ms-client-request-id') ?? requestId;
    if (lost.has(id) || chance() >= share) return undefined;
    lost.add(id);
    return 'reset after';
  };
}

/** The same fault at some requests. */
export const faultAt =
  (fault: Fault, ...indexes: readonly number[]): FaultPlan =>
  index =>
    indexes.includes(index) ? fault : undefined;
