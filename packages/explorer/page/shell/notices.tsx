// The notices at the foot of the page.
import { Check, CircleAlert, X } from 'lucide';
import { closeNotice, notices } from '../state/notice.js';
import { Icon } from './icon.js';

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, kind, text }) => (
      <div key={id} class={`notice ${kind}`}>
        <Icon of={kind === 'done' ? Check : CircleAlert} />
        <span>{text}</span>
        <button type="button" class="button quiet square" aria-label="Close" onClick={() => closeNotice(id)}>
          <Icon of={X} size={14} />
        </button>
      </div>
    ))}
  </div>
);
