// The error code for a failure that the caller did not cause: busy if a retry may help, otherwise an internal error. The same
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
