// Which addresses a server may advertise to others, and that a store without other servers takes none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationError } from '../auth/accounts.js';
import { checkPeerOptions } from './peer-options.js';

const SHARED = { hasPeers: true };

test('peer options: an address or a name', () => {
  for (const peerHost of ['127.0.0.1', '10.0.0.5', '::1', 'one.example', undefined])
    checkPeerOptions({ peerHost, peerPort: 0 }, SHARED);
  for (const peerHost of ['', '0.0.0.0', '::', 'a b', 'host:1', 'http://host'])
    assert.throws(() => checkPeerOptions({ peerHost }, SHARED), ConfigurationError, peerHost);
});

test('peer options: refused where no other server has the store open', () => {
  checkPeerOptions({}, {});
  checkPeerOptions({ peerPort: 'none' }, {});
  for (const options of [{ peerHost: '127.0.0.1' }, { peerPort: 0 }])
    assert.throws(
      () => checkPeerOptions(options, {}),
      /^ConfigurationError: --peer-host and --peer-port are for a store/,
    );
});
