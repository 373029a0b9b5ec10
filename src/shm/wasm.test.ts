/** The tests of the zone once more, over a WebAssembly.Memory. */
import process from 'node:process'

process.env.ZONE_BACKING = 'wasm'
process.env.ZONE_COUNTERS = '20000'
process.env.ZONE_THREADS = '4'
for (const file of [
  'zone',
  'segments/fold',
  'retire',
  'threads',
  'liveness',
  'succession/property',
  'succession/reconfigure',
  'succession/threads',
]) {
  await import(`./${file}.test.ts`)
}
