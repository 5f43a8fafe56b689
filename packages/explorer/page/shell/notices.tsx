// The notices at the foot of the page.
import { Check, CircleAlert, X } from 'lucide';
import { closeNotice, notices } from '../state/notice.js';
import { Icon, IconButton } from './button.js';

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, kind, text }) => (
      <div key={id} class={`notice ${kind}`}>
        <Icon of={kind === 'done' ? Check : CircleAlert} />
        <span>{text}</span>
        <IconButton icon={X} label="Close" onClick={() => closeNotice(id)} />
      </div>
    ))}
  </div>
);
