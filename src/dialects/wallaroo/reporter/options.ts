/** Checks of what a caller gives a reporter (§2), made at the call and never while recording. */
import { encodeError } from '../codec.ts'
import { NAME_BYTES_LIMIT, PERIOD_NS_MAX, PERIOD_NS_MIN, type ReportOptions } from '../spec.ts'

const encoder = new TextEncoder()
const ID_MAX = 0xffff

/** @throws {EncodeError} `out_of_range` for a period or a word that is none of an option's */
export function checkReportOptions(options: Partial<ReportOptions>): void {
  const { periodNs } = options
  if (periodNs !== undefined && !(periodNs >= PERIOD_NS_MIN && periodNs <= PERIOD_NS_MAX)) {
    throw encodeError('out_of_range', `period of ${periodNs} ns is not in 1 ms to 1 h`)
  }
  for (const name of ['profile', 'binning', 'windowRule'] as const) {
    const value = options[name]
    if (value === undefined || value === 'peer' || value === 'document') continue
    throw encodeError('out_of_range', `${name} ${value} is neither document nor peer`)
  }
}

/** @throws {EncodeError} `name_too_long` */
export function checkName(what: string, name: string): void {
  const size = encoder.encode(name).length
  if (size > NAME_BYTES_LIMIT) {
    throw encodeError('name_too_long', `${what} of ${size} bytes, limit ${NAME_BYTES_LIMIT}`)
  }
}

/** @throws {EncodeError} `out_of_range` */
export function checkId(id: number): void {
  if (Number.isInteger(id) && id >= 0 && id <= ID_MAX) return
  throw encodeError('out_of_range', `id ${id} is not in 0 to ${ID_MAX}`)
}
