// Installs Azurite where the benchmark has it, before the pattern library is tested against it.
import { installAzurite } from '../../bench/subjects/azurite.js';

installAzurite(line => process.stdout.write(`${line}\n`));
