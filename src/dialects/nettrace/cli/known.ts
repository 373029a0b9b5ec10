/**
 * `pentameter counters list`: providers of .NET that are known by name, and the counters of
 * System.Runtime, which every process has.
 */
import { unseenJson } from '../../../model/text/unseen.ts'

interface KnownProvider {
  readonly name: string
  readonly description: string
  /** Name of each counter, and its unit; of those that grow what an interval adds. */
  readonly counters?: readonly (readonly [name: string, unit: string])[]
}

const RUNTIME_COUNTERS = [
  ['cpu-usage', '%'],
  ['working-set', 'MB'],
  ['gc-heap-size', 'MB'],
  ['gen-0-gc-count', 'count / min'],
  ['gen-1-gc-count', 'count / min'],
  ['gen-2-gc-count', 'count / min'],
  ['gen-0-gc-budget', 'MB'],
  ['threadpool-thread-count', ''],
  ['monitor-lock-contention-count', 'count / s'],
  ['threadpool-queue-length', ''],
  ['threadpool-completed-items-count', 'count / s'],
  ['alloc-rate', 'B / s'],
  ['active-timer-count', ''],
  ['gc-fragmentation', '%'],
  ['gc-committed', 'MB'],
  ['exception-count', 'count / s'],
  ['time-in-gc', '%'],
  ['total-pause-time-by-gc', 'ms'],
  ['gen-0-size', 'B'],
  ['gen-1-size', 'B'],
  ['gen-2-size', 'B'],
  ['loh-size', 'B'],
  ['poh-size', 'B'],
  ['assembly-count', ''],
  ['il-bytes-jitted', 'B'],
  ['methods-jitted-count', ''],
  ['time-in-jit', 'ms / s'],
] as const

const PROVIDERS: readonly KnownProvider[] = [
  {
    name: 'System.Runtime',
    description: 'processor, memory, garbage collection, threads; from .NET 9 on also a meter',
    counters: RUNTIME_COUNTERS,
  },
  { name: 'Microsoft.AspNetCore.Hosting', description: 'requests of ASP.NET Core' },
  { name: 'Microsoft-AspNetCore-Server-Kestrel', description: 'connections of its web server' },
  { name: 'System.Net.Http', description: 'requests that the program sends' },
  { name: 'System.Net.Sockets', description: 'connections, bytes and datagrams' },
  { name: 'System.Net.NameResolution', description: 'look-ups of names' },
  { name: 'System.Net.Security', description: 'TLS handshakes and sessions' },
]

/** Writes the list: as a table, or as a line of JSON for each provider. */
export function knownProviders(isJson: boolean): string {
  if (isJson) return PROVIDERS.map((each) => `${unseenJson(jsonOf(each))}\n`).join('')
  const lines = PROVIDERS.flatMap(({ name, description, counters = [] }) => [
    `${name.padEnd(NAME_WIDTH)}  ${description}`,
    ...counters.map(([counter, unit]) =>
      `    ${counter.padEnd(NAME_WIDTH - 4)}  ${unit}`.trimEnd(),
    ),
  ])
  return `${lines.join('\n')}\n`
}

const NAME_WIDTH = Math.max(...PROVIDERS.map(({ name }) => name.length))

function jsonOf({ name, description, counters = [] }: KnownProvider) {
  return {
    provider: name,
    description,
    counters: counters.map(([counter, unit]) => ({ name: counter, unit })),
  }
}
