// What a failure that no caller is to blame for is answered as: what may be tried again is busy, the rest is a fault of ours. The same
// for every service.
import { StoreError } from '#store';

export function faultCode(
  error: unknown,
): 'InternalError' | 'RequestBodyTooLarge' | 'ServerBusy' | 'ServerBusy:Full' {
  if (!(error instanceof StoreError)) return 'InternalError';
  if (error.code === 'tooLarge') return 'RequestBodyTooLarge';
  if (error.code === 'full') return 'ServerBusy:Full';
  return error.code !== 'corrupt' && error.code !== 'unsupported' ? 'ServerBusy' : 'InternalError';
}
