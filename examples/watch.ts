/**
 * Attaches to a hub as a scope viewer, ten times a second, and prints a few snapshots.
 * Run: npx node examples/watch.ts [PORT]
 */
import { ScopeClient } from 'pentameter/scope'

const port = Number(process.argv[2] ?? 5001)
let seen = 0
const viewer = new ScopeClient({
  port,
  samplingIntervalMs: 100,
  onSample: ({ series, values }) => {
    const first = series.map((each, i) => `${each?.wireName}=${values[i]}`).slice(0, 3)
    console.log(`${series.length} values: ${first.join(' ')}`)
    if (++seen === 3) void viewer.close()
  },
})
await viewer.start()
