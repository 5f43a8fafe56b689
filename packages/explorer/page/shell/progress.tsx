// The progress of a view's work, while it runs.
import { counted, groupDigits } from '../../model/cell.js';
import type { Work } from '../state/work.js';
import { Button } from './button.js';

interface ProgressProps {
  readonly work: Work;
  readonly label: string;
  readonly unit: string;
  readonly onHalt?: () => void;
}

export function Progress({ work: { state, done, total = 0 }, label, unit, onHalt }: ProgressProps) {
  if (state !== 'running') return null;
  return (
    <div class="progress" role="status">
      <progress value={done} max={total} aria-label={label} />
      {label}: {groupDigits(done)} of {counted(total, unit)}
      {onHalt !== undefined && <Button onClick={onHalt}>Stop</Button>}
    </div>
  );
}
