// The partitions of a table: a heat map over ranges of PartitionKeys and time, the hottest keys, and advice.

import { Flame, Lightbulb } from 'lucide';
import { useState } from 'preact/hooks';
import { formatBytes, groupDigits } from '../../model/cell.js';
import {
  adviceOf,
  type HeatRange,
  hottestOf,
  type Measure,
  type PartitionHeat,
  rangesOf,
  SLOT_SECONDS,
  sumOf,
} from '../../model/heat.js';
import type { Place } from '../client/account.js';
import { fetchValue } from '../client/session.js';
import { Blank, Until } from '../shell/blank.js';
import { Icon } from '../shell/button.js';
import { Field, type Options } from '../shell/field.js';
import { useLoaded } from '../state/loaded.js';
import { hashOf } from '../state/route.js';

const PERIOD_MILLISECONDS = 2_000;
const HOTTEST = 10;
const MEASURES: Options<Measure> = [
  ['requests', 'Requests'],
  ['rows', 'Entities written'],
  ['bytes', 'Bytes written'],
];
const textOf = (measure: Measure, count: number): string =>
  measure === 'bytes' ? formatBytes(count) : groupDigits(count);

const rangeName = ({ first, last, partitions }: HeatRange): string =>
  partitions === 1 ? first || '(empty)' : `${first || '(empty)'} … ${last}`;

interface HeatMapProps {
  readonly heat: readonly PartitionHeat[];
  readonly measure: Measure;
}

/** Cells are as strong as the logarithm of their count: hot partitions are a hundred times as busy as others. */
function HeatMap({ heat, measure }: HeatMapProps) {
  const ranges = rangesOf(heat, measure);
  const most = Math.max(1, ...ranges.flatMap(({ counts }) => counts));
  const slots = ranges[0]?.counts.length ?? 0;
  const strength = (count: number): number =>
    count === 0 ? 0 : Math.round(12 + (88 * Math.log1p(count)) / Math.log1p(most));
  return (
    <table class="heat-map">
      <caption class="visually-hidden">
        {MEASURES.find(([each]) => each === measure)?.[1]} by range of PartitionKeys, over the last{' '}
        {(slots * SLOT_SECONDS) / 60} minutes
      </caption>
      <colgroup>
        <col class="heat-name" />
        <col class="heat-sum" />
        <col />
      </colgroup>
      <tbody>
        {ranges.map(range => (
          <tr key={range.first}>
            <th scope="row" class="ellipsis" title={rangeName(range)}>
              {rangeName(range)}
            </th>
            <td class="heat-total">{textOf(measure, sumOf(range.counts))}</td>
            <td class="heat-cells" aria-hidden="true">
              <div>
                {range.counts.map((count, at) => (
                  <span
                    key={at}
                    title={`${textOf(measure, count)}, ${(slots - at) * SLOT_SECONDS} s ago`}
                    style={{ '--strength': `${strength(count)}%` }}
                  />
                ))}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Heat = ({ account, name, heat, measure }: Place & HeatMapProps) => (
  <div class="heat">
    {adviceOf(heat).map(line => (
      <p key={line} class="warning">
        <Icon of={Lightbulb} />
        <span>{line}</span>
      </p>
    ))}
    <HeatMap {...{ heat, measure }} />
    <p class="hint">
      Ten minutes, ten seconds a column, now at the right. The busiest partitions of the server; under load,
      estimates from one request of 64.
    </p>
    <section>
      <h2>Hottest partitions</h2>
      <ol class="hottest">
        {hottestOf(heat, measure, HOTTEST).map(({ partition, [measure]: counts }) => {
          const filter = `PartitionKey eq '${partition.replaceAll("'", "''")}'`;
          return (
            <li key={partition}>
              <a class="ellipsis" href={hashOf({ account, view: { kind: 'table', name, filter } })}>
                {partition || '(empty)'}
              </a>
              <span class="hint">about {textOf(measure, sumOf(counts))}</span>
            </li>
          );
        })}
      </ol>
    </section>
  </div>
);

export function HeatView({ account, name }: Place) {
  const path = `/heat?${new URLSearchParams({ account, table: name })}`;
  const loading = useLoaded(
    signal => fetchValue<readonly PartitionHeat[]>(path, { signal }),
    [path],
    PERIOD_MILLISECONDS,
  );
  const [measure, setMeasure] = useState<Measure>('requests');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a view that scrolls must be reachable by keys.
    <section class="view scrolling" aria-label={`Partitions of ${name}`} tabIndex={0}>
      <header class="bar">
        <h1 class="ellipsis">
          <a href={hashOf({ account, view: { kind: 'table', name, filter: '' } })}>{name}</a> · partitions
        </h1>
        <Field label="What is shown" kind="bar" options={MEASURES} value={measure} onText={setMeasure} />
      </header>
      <Until loading={loading} label="Reading…" title="The counts cannot be read">
        {heat =>
          heat.length === 0 ? (
            <Blank icon={Flame} title="Nothing was asked of this table in the last ten minutes">
              <p>Requests that name a PartitionKey show up here within seconds.</p>
            </Blank>
          ) : (
            <Heat {...{ account, name, heat, measure }} />
          )
        }
      </Until>
    </section>
  );
}
