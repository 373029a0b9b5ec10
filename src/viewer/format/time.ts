/** Instants and ages as words. Wall time is the reader's own. */
import { NO_BREAK_SPACE } from './number.ts'

const two = (part: number): string => String(part).padStart(2, '0')

/** Writes `14:03:22`, in the reader's time zone. */
export function clockText(ms: number): string {
  const at = new Date(ms)
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** Longest axis on which seconds are written. */
const SECONDS_SPAN = 1200

/**
 * Writes an instant of a time axis, in Unix seconds: `14:03:22`, between seconds `14:03:22.5`; of
 * a longer axis `14:03`, and of the begin of a day that, `11 Jun`.
 * @param span of the axis, s
 */
export function tickText(second: number, span = 0): string {
  const whole = Math.floor(second)
  if (span > SECONDS_SPAN) {
    const at = new Date(whole * 1000)
    const time = `${two(at.getHours())}:${two(at.getMinutes())}`
    return time === '00:00' ? dayText(at) : time
  }
  const tenths = Math.round((second - whole) * 10)
  return tenths === 0 ? clockText(whole * 1000) : `${clockText(whole * 1000)}.${tenths}`
}

/** Writes `03:11:20` today, `11 Jun 03:11` on another day, `11 Jun 2024 03:11` of another year. */
export function momentText(ms: number, nowMs: number): string {
  const at = new Date(ms)
  const day = otherDayText(at, nowMs)
  return day === '' ? clockText(ms) : `${day}${two(at.getHours())}:${two(at.getMinutes())}`
}

/** Writes `03:11:20` today, `11 Jun 03:11:20` on another day, with the year of another year. */
export function instantText(ms: number, nowMs: number): string {
  return otherDayText(new Date(ms), nowMs) + clockText(ms)
}

/** Writes `11 Jun ` or `11 Jun 2024 `; nothing of today. */
function otherDayText(at: Date, nowMs: number): string {
  const now = new Date(nowMs)
  if (at.toDateString() === now.toDateString()) return ''
  const isThisYear = at.getFullYear() === now.getFullYear()
  return `${dayText(at)} ${isThisYear ? '' : `${at.getFullYear()} `}`
}

/** Writes when a series lived: `27 Nov 09:12 to 27 Nov 14:03`. */
export function lifeText(
  { firstSeenMs, lastDataMs }: { readonly firstSeenMs: number; readonly lastDataMs: number },
  nowMs = Date.now(),
): string {
  return `${momentText(firstSeenMs, nowMs)} to ${momentText(lastDataMs, nowMs)}`
}

function dayText(at: Date): string {
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
}

/** Writes `0.4 s`, `12 s`, `4 min`, `3 h`, `2 d`. */
export function durationText(seconds: number): string {
  const size = Math.max(0, seconds)
  if (size < 0.95) return `${size.toFixed(1)}${NO_BREAK_SPACE}s`
  if (size < 89.5) return `${Math.round(size)}${NO_BREAK_SPACE}s`
  if (size < 5370) return `${Math.round(size / 60)}${NO_BREAK_SPACE}min`
  if (size < 171_000) return `${Math.round(size / 3600)}${NO_BREAK_SPACE}h`
  return `${Math.round(size / 86_400)}${NO_BREAK_SPACE}d`
}

export function ageText(seconds: number): string {
  return `${durationText(seconds)} ago`
}

/** Writes a window in running words: `60 s`, `5 min`, `6 h`, `7 d`. */
export function spanText(seconds: number): string {
  const write = (count: number, unit: string): string => `${count}${NO_BREAK_SPACE}${unit}`
  if (seconds > 86_400 && seconds % 86_400 === 0) return write(seconds / 86_400, 'd')
  if (seconds >= 3600 && seconds % 3600 === 0) return write(seconds / 3600, 'h')
  return seconds > 60 && seconds % 60 === 0 ? write(seconds / 60, 'min') : write(seconds, 's')
}

/** Names the time windows in the bar: `30 s`, `1 min`, `24 h`, `7 d`; `m` is for metres. */
export function windowText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${seconds / 60} min`
  return seconds <= 86_400 ? `${seconds / 3600} h` : `${seconds / 86_400} d`
}
