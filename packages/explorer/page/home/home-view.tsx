// The account: its endpoints, and its tables, queues and containers with what is cheap to know of each.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { counted, groupDigits } from '../../model/cell.js';
import { type Place, queueOf, type Service } from '../client/account.js';
import { inParallel } from '../client/parallel.js';
import { KEYS, PAGE_ROWS, queryPage } from '../client/table-client.js';
import { Fault } from '../shell/blank.js';
import { LinkButton } from '../shell/button.js';
import { show } from '../state/command.js';
import { currentAccount, isAbsent, listingOf, namesOf, SERVICE_NAMES, SERVICES } from '../state/resources.js';
import { hashOf, viewOf } from '../state/route.js';

/** What a name's line says about its size. */
type Sizes = ReadonlyMap<string, string>;

const CONCURRENT = 4;
/** Each is a request. */
const COUNTED_MAX = 200;

const COUNTS: Readonly<
  Partial<Record<Service, (place: Place, abortSignal: AbortSignal) => Promise<string>>>
> = {
  table: async (table, stop) => {
    const part = { select: KEYS, top: PAGE_ROWS };
    const { rows, next } = await queryPage({ table, filter: '' }, part, stop);
    if (next !== undefined) return `over ${groupDigits(rows.length)} entities`;
    return rows.length === 0 ? 'empty' : counted(rows.length, 'entity', 'entities');
  },
  queue: async (queue, abortSignal) => {
    const { approximateMessagesCount = 0 } = await (await queueOf(queue)).getProperties({ abortSignal });
    return `about ${counted(approximateMessagesCount, 'message')}`;
  },
};

/** Reads the sizes a few at a time; a failed one stays unknown. */
function useSizes(account: string, service: Service): Sizes {
  const sizes = useSignal<Sizes>(new Map());
  const names = namesOf(service);
  const count = COUNTS[service];
  useEffect(() => {
    const stop = new AbortController();
    void inParallel(names.slice(0, COUNTED_MAX), CONCURRENT, async name => {
      if (stop.signal.aborted) return;
      const size = await count?.({ account, name }, stop.signal).catch(() => undefined);
      if (size !== undefined && !stop.signal.aborted) sizes.value = new Map([...sizes.value, [name, size]]);
    });
    return () => stop.abort();
  }, [account, names]);
  return sizes.value;
}

function Section({ account, service }: { readonly account: string; readonly service: Service }) {
  const { value: names, failure } = listingOf(service) ?? {};
  const sizes = useSizes(account, service);
  const { many, one } = SERVICE_NAMES[service];
  if (isAbsent(service)) return null;
  return (
    <section class="home-section">
      <h2>
        {many}
        {names !== undefined && <span class="count">{names.length}</span>}
      </h2>
      <Fault text={failure} />
      {names?.length === 0 && (
        <p class="hint">
          No {one} yet. <LinkButton onClick={() => show(service)}>Create the first</LinkButton>
        </p>
      )}
      <ul class="cards">
        {names?.map(name => (
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
  const { endpoints = {}, canSign = false } = currentAccount.value ?? {};
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
