// Which addresses do not leave this machine.

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(\.\d{1,3}){3})$/;

/** For a host that is listened on and for a peer's address alike. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
