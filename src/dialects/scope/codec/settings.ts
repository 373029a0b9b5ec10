/**
 * What a client sends once: `[81][b1 "sampling_interval"][nanoseconds:uint]`. Read as the real
 * parser reads it, except that an interval of 0 is refused (the real server's thread dies of it).
 */
import { DecodeError } from '../../../wire/decode-error.ts'
import { MessagePackReader } from '../../../wire/messagepack.ts'
import { MessagePackScanner } from '../../../wire/messagepack-scan.ts'
import { NAME, SETTINGS_FIELDS, type Settings, type SettingsErrorCode } from '../spec.ts'
import { findFields, MISSING } from './fields.ts'

/** Makes the error for what a client sent; the stream ends with it. */
export function settingsError(code: SettingsErrorCode, offset: number, detail: string) {
  return new DecodeError({ dialect: NAME, code, offset, resync: false }, detail)
}

/**
 * Reads one settings payload; bytes behind its value are ignored.
 * @throws {DecodeError} with a code of SETTINGS_ERROR_CODES
 */
export function decodeSettings(payload: Uint8Array): Settings {
  const scanner = new MessagePackScanner()
  const verdict = scanner.scan(payload, 0, payload.length, payload.length)
  if (verdict !== 'complete') {
    throw settingsError('settings_malformed', scanner.size, `settings are ${verdict}`)
  }
  const reader = new MessagePackReader(payload)
  const at = findFields(reader, 0, SETTINGS_FIELDS)?.[0]
  if (at === undefined || at === MISSING) {
    throw settingsError('settings_shape', 0, 'no struct with exactly one sampling_interval')
  }
  const interval = reader.integer(at)
  if (interval === undefined) {
    const family = reader.family(at)
    const hint = family === 'float' ? '; send an integer' : ''
    throw settingsError('settings_type', at, `sampling_interval is of type ${family}${hint}`)
  }
  if (interval <= 0n) {
    throw settingsError('settings_range', at, `sampling_interval ${interval}, must be at least 1`)
  }
  return { kind: 'settings', samplingIntervalNs: interval }
}
