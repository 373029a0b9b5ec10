/** Instants and ages as words. Wall time is the reader's own. */
import { NO_BREAK_SPACE } from './number.ts'

const two = (part: number): string => String(part).padStart(2, '0')

/** Writes `14:03:22`, in the reader's time zone. */
export function clockText(ms: number): string {
  const at = new Date(ms)
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** Writes an instant of a time axis, in Unix seconds: `14:03:22`, between seconds `14:03:22.5`. */
export function tickText(second: number): string {
  const whole = Math.floor(second)
  const tenths = Math.round((second - whole) * 10)
  return tenths === 0 ? clockText(whole * 1000) : `${clockText(whole * 1000)}.${tenths}`
}

/** Writes `03:11:20` today, `11 Jun 03:11` on another day. */
export function momentText(ms: number, nowMs: number): string {
  const at = new Date(ms)
  if (at.toDateString() === new Date(nowMs).toDateString()) return clockText(ms)
  const day = at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
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

/** Writes a window in running words: `60 s`, `5 min`. */
export function spanText(seconds: number): string {
  const isMinutes = seconds > 60 && seconds % 60 === 0
  return isMinutes ? `${seconds / 60}${NO_BREAK_SPACE}min` : `${seconds}${NO_BREAK_SPACE}s`
}

/** Names the time windows in the bar: `30 s`, `1 min`; `m` is for metres. */
export function windowText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${seconds / 60} min`
}
