/** Lengths of time and sizes as people read them. */

/** Writes `12 m 04 s`; below a minute `4 s`, from an hour `2 h 05 m`, from a day `1 d 03 h`. */
export function spanText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes === 0) return `${seconds} s`
  if (hours === 0) return `${minutes} m ${two(seconds % 60)} s`
  if (hours < 24) return `${hours} h ${two(minutes % 60)} m`
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`
}

/** Writes `1 s`, `250 ms`. */
export function intervalText(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`
}

/** Writes `812 B`, `4.1 kB`, `12.0 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
