// Loaded before a front end: plants the fault that the environment names.
import { isPlant, PLANTS } from './plants.js';

const name = process.env.SHELFMARK_PLANTED ?? '';
if (!isPlant(name)) throw new Error(`There is no planted fault '${name}'.`);
PLANTS[name]();
