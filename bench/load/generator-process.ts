// The built-in generator as a process of its own.
import { generate } from './generator.js';
import { replyOnce } from './reply-once.js';

replyOnce(generate);
