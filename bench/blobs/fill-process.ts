// Filling as a process of its own: its memory ends with it.
import { replyOnce } from '../load/reply-once.js';
import { fillBlobs } from './fill.js';

replyOnce(fillBlobs);
