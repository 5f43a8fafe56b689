// The command palette: everything that can be opened or done, by parts of its name.
import { CornerDownLeft, Search } from 'lucide';
import { useState } from 'preact/hooks';
import { type Command, close, commands } from '../state/command.js';
import { namesOf, SERVICE_NAMES, SERVICES } from '../state/resources.js';
import { go, viewOf } from '../state/route.js';
import { Icon } from './button.js';
import { Modal } from './dialog.js';
import { useListbox } from './listbox.js';

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
  const items = matching(text);
  const { keyed, reset, field, list } = useListbox<Command>({
    ...{ id: 'commands', label: 'Found', kind: 'palette-list', items, takeKey: 'Enter' },
    take: ({ run }) => {
      close();
      // After the dialog has given the focus back.
      setTimeout(run);
    },
    draw: ({ label, key }, isChosen) => (
      <>
        <span class="ellipsis">{label}</span>
        {key !== undefined && <kbd>{key}</kbd>}
        {isChosen && <Icon of={CornerDownLeft} size={14} />}
      </>
    ),
  });
  return (
    <Modal label="Command palette" kind="palette" onClose={close}>
      <div class="palette-field">
        <Icon of={Search} />
        <input
          {...field}
          aria-label="Search tables, queues, containers and commands"
          placeholder="Search tables, queues, containers and commands"
          value={text}
          onInput={event => {
            setText(event.currentTarget.value);
            reset();
          }}
          onKeyDown={keyed}
        />
      </div>
      {list}
      {items.length === 0 && <p class="hint pad">Nothing has these letters.</p>}
    </Modal>
  );
}
