// Calls of the official clients of queues and blobs, which retry on their own and wait for an answer without end: each call ends with the caller's signal, or when nothing arrives in time. Refusals become errors of this library.
import { type CallOptions, linkedController } from '../concurrency/abort.js';
import { TIMER_MAX } from '../concurrency/surroundings.js';
import { isObject } from '../values/is-object.js';
import { PatternError } from '../values/pattern-error.js';
import type { Connected } from './clients.js';
import { TIMEOUT_MILLISECONDS } from './sender.js';
import { isBusy, type ServiceRefusal } from './service-refusal.js';

/** The service permits a write ten minutes per megabyte (Setting timeouts for Blob service operations, of Azure's documentation). */
const MILLISECONDS_PER_BYTE = 600_000 / 1_048_576;

/** What a client throws. */
export interface ClientFault extends Pick<ServiceRefusal, 'code' | 'text'> {
  /** Undefined where no answer came. */
  readonly status: number | undefined;
}

interface SendOptions extends CallOptions {
  /** Bytes of what is sent. */
  readonly sent?: number;
}

/** `arrived` is called when a part of a long answer has come. */
type Call<T> = (own: { readonly abortSignal: AbortSignal }, arrived: () => void) => Promise<T>;

function faultOf(thrown: unknown): ClientFault {
  if (!isObject(thrown)) return { status: undefined, code: '', text: String(thrown) };
  const { statusCode, code, details, message } = thrown;
  const inHeader = isObject(details) ? details.errorCode : undefined;
  const named = typeof code === 'string' ? code : inHeader;
  const [text = ''] = String(message ?? '').split('\n');
  return { status: typeof statusCode === 'number' ? statusCode : undefined, code: String(named ?? ''), text };
}

/** The calls to one queue or container. */
export class ClientCalls {
  readonly #name: string;
  readonly #timeout: number;

  constructor(name: string, { timeoutMilliseconds = TIMEOUT_MILLISECONDS }: Connected) {
    this.#name = name;
    this.#timeout = timeoutMilliseconds;
  }

  /** Throws QueueNotFound, Throttled, Unreachable, ServiceRefused, and the signal's reason. */
  done<T>(options: SendOptions, call: Call<T>): Promise<T> {
    return this.unless(() => false, options, call) as Promise<T>;
  }

  /** The same; undefined for a refusal that is expected. */
  async unless<T>(
    isExpected: (fault: ClientFault) => boolean,
    { signal, sent = 0 }: SendOptions,
    call: Call<T>,
  ): Promise<T | undefined> {
    signal?.throwIfAborted();
    const controller = linkedController(signal);
    const timeout = Math.min(this.#timeout + sent * MILLISECONDS_PER_BYTE, TIMER_MAX);
    const start = () => setTimeout(() => controller.abort(), timeout);
    let timer = start();
    const arrived = (): void => {
      clearTimeout(timer);
      timer = start();
    };
    try {
      return await call({ abortSignal: controller.signal }, arrived);
    } catch (thrown) {
      signal?.throwIfAborted();
      const fault = faultOf(thrown);
      if (isExpected(fault)) return undefined;
      throw this.#errorOf(fault, thrown);
    } finally {
      clearTimeout(timer);
      controller.release();
    }
  }

  #errorOf(fault: ClientFault, cause: unknown): PatternError {
    const { status, code } = fault;
    if (status === undefined) return new PatternError('Unreachable', { attempts: undefined }, { cause });
    if (isBusy({ status, code })) return new PatternError('Throttled', { retryAfter: undefined }, { cause });
    const name = this.#name;
    if (code === 'QueueNotFound')
      return new PatternError(
        'QueueNotFound',
        { queue: name },
        { sentence: `There is no queue ${name}.`, cause },
      );
    // The service does not name it.
    const text = code === 'ContainerNotFound' ? `There is no container ${name}.` : fault.text;
    return new PatternError('ServiceRefused', { status, code, text }, { cause });
  }
}
