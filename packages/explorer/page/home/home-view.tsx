// The account: its endpoints, and its tables, queues and containers with what is cheap to know of each.
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { counted, groupDigits } from '../../model/cell.js';
import type { Service } from '../client/ask.js';
import { messageCount } from '../client/queue-client.js';
import { countAtLeast } from '../client/table-client.js';
import { creating } from '../shell/create.js';
import { currentAccount, listings, SERVICE_NAMES, SERVICES } from '../state/resources.js';
import { hashOf, viewOf } from '../state/route.js';

/** What a name's line says about its size. */
type Sizes = ReadonlyMap<string, string>;

const CONCURRENT = 4;
/** Each is a request. */
const COUNTED_MAX = 200;

const COUNTS: Readonly<
  Record<Service, ((account: string, name: string, stop: AbortSignal) => Promise<string>) | undefined>
> = {
  table: async (account, name, stop) => {
    const { count, hasMore } = await countAtLeast(account, name, stop);
    if (count === 0 && !hasMore) return 'empty';
    return hasMore ? `over ${groupDigits(count)} entities` : counted(count, 'entity', 'entities');
  },
  queue: async (account, name, stop) =>
    `about ${counted(await messageCount(account, name, stop), 'message')}`,
  blob: undefined,
};

/** Reads the sizes a few at a time; a failed one stays unknown. */
function useSizes(account: string, service: Service): Sizes {
  const sizes = useMemo(() => signal<Sizes>(new Map()), []);
  const { names } = listings[service].value;
  const count = COUNTS[service];
  useEffect(() => {
    const stop = new AbortController();
    const waiting = count === undefined ? [] : names.slice(0, COUNTED_MAX);
    const work = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const size = await count?.(account, name, stop.signal).catch(() => undefined);
        if (stop.signal.aborted) return;
        if (size !== undefined) sizes.value = new Map([...sizes.value, [name, size]]);
      }
    };
    for (let worker = 0; worker < CONCURRENT; worker++) void work();
    return () => stop.abort();
  }, [account, names]);
  return sizes.value;
}

function Section({ account, service }: { readonly account: string; readonly service: Service }) {
  const { names, state, sentence } = listings[service].value;
  const sizes = useSizes(account, service);
  const { many, one } = SERVICE_NAMES[service];
  if (state === 'absent') return null;
  return (
    <section class="home-section">
      <h2>
        {many}
        {state === 'ready' && <span class="count">{names.length}</span>}
      </h2>
      {state === 'failed' && <p class="fault">{sentence}</p>}
      {state === 'ready' && names.length === 0 && (
        <p class="hint">
          No {one} yet.{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              creating.value = service;
            }}
          >
            Create the first
          </button>
        </p>
      )}
      <ul class="cards">
        {names.map(name => (
          <li key={name}>
            <a class="card" href={hashOf({ account, view: viewOf(service, name) })}>
              <span class="ellipsis">{name}</span>
              <span class="hint">{sizes.get(name) ?? (COUNTS[service] === undefined ? '' : '…')}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function HomeView({ account }: { readonly account: string }) {
  const { endpoints = {}, canSign = false } = currentAccount() ?? {};
  return (
    <div class="view scrolling">
      <header class="bar">
        <h1 class="ellipsis">{account}</h1>
        {!canSign && <span class="chip">Opened with a SAS</span>}
      </header>
      <div class="home">
        <dl class="endpoints">
          {Object.entries(endpoints).map(([service, url]) => (
            <div key={service}>
              <dt>{service}</dt>
              <dd class="mono ellipsis">{url}</dd>
            </div>
          ))}
        </dl>
        {SERVICES.map(service => (
          <Section key={service} account={account} service={service} />
        ))}
      </div>
    </div>
  );
}
