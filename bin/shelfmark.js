#!/usr/bin/env node
// The command's door: stays where npm can link it before the first build.
import '../dist/packages/cli/main.js';
