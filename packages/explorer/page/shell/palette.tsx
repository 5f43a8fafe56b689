// The command palette: everything that can be opened or done, by parts of its name.
import { CornerDownLeft, Search } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { type Command, close, commands } from '../state/command.js';
import { namesOf, SERVICE_NAMES, SERVICES } from '../state/resources.js';
import { go, viewOf } from '../state/route.js';
import { Modal } from './dialog.js';
import { Icon } from './icon.js';

const SHOWN_MAX = 60;

function matching(text: string): readonly Command[] {
  const places = SERVICES.flatMap(service =>
    namesOf(service).map(name => ({
      label: `${name} · ${SERVICE_NAMES[service].one}`,
      run: () => go(viewOf(service, name)),
    })),
  );
  const words = text.toLowerCase().split(/\s+/);
  return [...commands(), ...places]
    .filter(({ label }) => words.every(word => label.toLowerCase().includes(word)))
    .slice(0, SHOWN_MAX);
}

export function Palette() {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = matching(text);
  const active = Math.min(chosen, found.length - 1);
  useEffect(
    () => document.getElementById(`command-${active}`)?.scrollIntoView({ block: 'nearest' }),
    [active],
  );
  const run = (command: Command | undefined): void => {
    close();
    // After the dialog has given the focus back.
    if (command !== undefined) setTimeout(command.run);
  };
  const keyed = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen((active + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') run(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal label="Command palette" kind="palette" onClose={close}>
      <div class="palette-field">
        <Icon of={Search} />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={found.length > 0 ? `command-${active}` : undefined}
          aria-label="Search tables, queues, containers and commands"
          placeholder="Search tables, queues, containers and commands"
          value={text}
          onInput={event => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={keyed}
        />
      </div>
      <div id="commands" class="palette-list" role="listbox" aria-label="Found">
        {found.map((command, at) => (
          <div
            key={command.label}
            id={`command-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            class="palette-item"
            onClick={() => run(command)}
            onKeyDown={keyed}
            onPointerMove={() => setChosen(at)}
          >
            <span class="ellipsis">{command.label}</span>
            {command.key !== undefined && <kbd>{command.key}</kbd>}
            {at === active && <Icon of={CornerDownLeft} size={14} />}
          </div>
        ))}
        {found.length === 0 && <p class="hint pad">Nothing has these letters.</p>}
      </div>
    </Modal>
  );
}
