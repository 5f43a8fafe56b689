// The help: every key that works here.
import { commands } from '../state/command.js';
import { Dialog } from './dialog.js';

const GENERAL: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['Ctrl', 'K'], 'Search and run anything'],
  [['?'], 'All keys'],
  [['Esc'], 'Close what is open'],
];
const GRID: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['↑', '↓', '←', '→'], 'Move between cells'],
  [['Page Up', 'Page Down'], 'Move by a screen'],
  [['Home', 'End'], 'First or last column; with Ctrl first or last row'],
  [['Enter'], 'Open the entity'],
  [['Ctrl', 'C'], 'Copy the value'],
];

const Keys = ({ title, rows }: { readonly title: string; readonly rows: typeof GENERAL }) => (
  <section>
    <h3>{title}</h3>
    <dl class="keys">
      {rows.map(([keys, what]) => (
        <div key={what}>
          <dt>
            {keys.map(key => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </section>
);

export function Help() {
  const here = commands().flatMap(({ key, label }) =>
    key === undefined || key === '?' ? [] : [[[key], label] as const],
  );
  return (
    <Dialog title="Keys">
      <div class="columns">
        <Keys title="Everywhere" rows={GENERAL} />
        {here.length > 0 && <Keys title="Here" rows={here} />}
        <Keys title="In a grid" rows={GRID} />
      </div>
    </Dialog>
  );
}
