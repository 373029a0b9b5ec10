/** Options as a configuration states them, checked before anything listens or connects. */
import {
  CLIENT_DEFAULTS,
  type ClientOptions,
  SERVER_DEFAULTS,
  SETTINGS_CAP_BELOW,
  type ServerOptions,
} from './spec.ts'

type Raw = Readonly<Record<string, unknown>>

const FRAMINGS = ['auto', 'framed', 'bare']

/**
 * Defaults under the given options; what this dialect does not know is left alone.
 * @throws {RangeError} naming the option and its value
 */
export function serverOptions(raw: Raw | Partial<ServerOptions> = {}): ServerOptions {
  const options: ServerOptions = { ...SERVER_DEFAULTS, ...(raw as Partial<ServerOptions>) }
  checkNumbers(options, SERVER_DEFAULTS)
  checkOneOf('framing', options.framing, FRAMINGS)
  checkOneOf('nameStyle', options.nameStyle, ['name', 'display'])
  if (options.settingsCapBytes >= SETTINGS_CAP_BELOW) {
    throw new RangeError(
      `settingsCapBytes ${options.settingsCapBytes}, must be below ${SETTINGS_CAP_BELOW}`,
    )
  }
  if (options.minIntervalNs < 1) {
    throw new RangeError(`minIntervalNs ${options.minIntervalNs}, must be at least 1`)
  }
  if (options.infoIntervalMs < 1) {
    throw new RangeError(`infoIntervalMs ${options.infoIntervalMs}, must be at least 1`)
  }
  return options
}

/**
 * Defaults under the given options. A sampling interval may be stated as a number or as text.
 * @throws {RangeError} naming the option and its value
 */
export function clientOptions(raw: Raw | Partial<ClientOptions> = {}): ClientOptions {
  const stated = raw as Partial<ClientOptions>
  const interval = stated.samplingIntervalNs ?? CLIENT_DEFAULTS.samplingIntervalNs
  const options = { ...CLIENT_DEFAULTS, ...stated, samplingIntervalNs: toInterval(interval) }
  checkNumbers(options, CLIENT_DEFAULTS)
  checkOneOf('framing', options.framing, FRAMINGS)
  checkOneOf('profile', options.profile, ['peer', 'document'])
  return options
}

function toInterval(value: bigint | number | string): bigint {
  const interval =
    typeof value === 'bigint' || Number.isSafeInteger(Number(value)) ? BigInt(value) : 0n
  if (interval >= 1n && interval <= 0xffff_ffff_ffff_ffffn) return interval
  throw new RangeError(`samplingIntervalNs ${value}, must be a whole number from 1 to 2^64 - 1`)
}

/** Every option whose default is a number must be one: whole, 0 or more, except shares. */
function checkNumbers<T extends object>(options: T, defaults: T): void {
  for (const [name, standard] of Object.entries(defaults)) {
    if (typeof standard !== 'number') continue
    const value: unknown = options[name as keyof T]
    const isWhole = Number.isInteger(standard)
    const isUsable = typeof value === 'number' && value >= 0 && Number.isFinite(value)
    if (isUsable && (!isWhole || Number.isSafeInteger(value))) continue
    throw new RangeError(`${name} ${String(value)}, must be a number, 0 or more`)
  }
}

function checkOneOf(name: string, value: unknown, known: readonly string[]): void {
  if (typeof value === 'string' && known.includes(value)) return
  throw new RangeError(`${name} ${String(value)}, must be one of ${known.join(', ')}`)
}
