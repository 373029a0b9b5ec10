/** Words of what a command has seen: lengths of time, counts, its last line. */

/** Writes `12 m 04 s`; below a minute `4 s`, from an hour `2 h 05 m`, from a day `1 d 03 h`. */
export function elapsedText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes === 0) return `${seconds} s`
  if (hours === 0) return `${minutes} m ${two(seconds % 60)} s`
  if (hours < 24) return `${hours} h ${two(minutes % 60)} m`
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Writes the one line that is left when a command has ended: `seen 12 m 04 s, 67 series`. */
export function seenLine(ms: number, parts: readonly string[]): string {
  return `seen ${[elapsedText(ms), ...parts].join(', ')}\n`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
