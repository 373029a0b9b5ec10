/** Words for the time that a picture shows, for those who see it elsewhere and later. */

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const

/** Writes `11 Jun 2026, 14:02:22 to 14:03:22 UTC`, of Unix seconds. */
export function periodText(from: number, to: number): string {
  const text = (second: number, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-GB', options).format(second * 1000)
  const day = text(from, DAY)
  const lastDay = text(to, DAY)
  const end = text(to, { ...CLOCK, timeZoneName: 'short' })
  const until = lastDay === day ? end : `${lastDay}, ${end}`
  return `${day}, ${text(from, CLOCK)} to ${until}`
}
