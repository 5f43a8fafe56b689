// The account: its endpoints, and its tables, queues and containers, with the number of messages of each queue.
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { inParallel } from '#data-tools/write';
import { counted } from '../../model/cell.js';
import { queueOf, type Service } from '../client/account.js';
import { Fault } from '../shell/blank.js';
import { LinkButton } from '../shell/button.js';
import { create } from '../shell/resource.js';
import { currentAccount, isAbsent, listingOf, namesOf, SERVICE_NAMES, SERVICES } from '../state/resources.js';
import { hashOf, viewOf } from '../state/route.js';

const CONCURRENT = 4;
/** Each is a request. */
const COUNTED_MAX = 200;

/** Of queues, by their names. Only what looks one up is drawn again. */
type Counts = ReadonlySignal<ReadonlyMap<string, number>>;

/** About how many messages each queue has, read a few at a time; a failed one stays unknown. */
function useCounts(account: string): Counts {
  const counts = useSignal<ReadonlyMap<string, number>>(new Map());
  const names = namesOf('queue');
  useEffect(() => {
    const stop = new AbortController();
    const abortSignal = stop.signal;
    void inParallel(names.slice(0, COUNTED_MAX), CONCURRENT, async name => {
      const found = await queueOf({ account, name })
        .then(client => client.getProperties({ abortSignal }))
        .catch(() => undefined);
      const count = found?.approximateMessagesCount;
      if (count !== undefined && !abortSignal.aborted)
        counts.value = new Map([...counts.value, [name, count]]);
    });
    return () => stop.abort();
  }, [account, names]);
  return counts;
}

interface SectionProps {
  readonly account: string;
  readonly service: Service;
  /** Of messages, by the queue's name. */
  readonly counts: Counts | undefined;
}

function Section({ account, service, counts }: SectionProps) {
  const { value: names, failure } = listingOf(service) ?? {};
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
          No {one} yet. <LinkButton onClick={() => create(service)}>Create the first</LinkButton>
        </p>
      )}
      <ul class="cards">
        {names?.map(name => {
          const count = counts?.value.get(name);
          return (
            <li key={name}>
              <a class="card" href={hashOf({ account, view: viewOf(service, name) })}>
                <span class="ellipsis">{name}</span>
                {count !== undefined && <span class="hint">about {counted(count, 'message')}</span>}
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function HomeView({ account }: { readonly account: string }) {
  const counts = useCounts(account);
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
          <Section
            key={service}
            {...{ account, service }}
            counts={service === 'queue' ? counts : undefined}
          />
        ))}
      </div>
    </div>
  );
}
