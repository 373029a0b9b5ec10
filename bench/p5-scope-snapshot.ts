/** P5: snapshots for and from live viewers, against a general MessagePack library. */
import assert from 'node:assert/strict'
import * as msgpack from '@msgpack/msgpack'
import { PacketDecoder } from '../src/dialects/scope/codec/packet.ts'
import { SnapshotTemplate } from '../src/dialects/scope/codec/snapshot-template.ts'
import { packageVersion } from './measure/packages.ts'
import { atLeast, type Contender, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { seededRandom } from './measure/statistics.ts'

const WARM_UPS = 2
const ROUNDS = 7
const SEED = 5
const METRIC_COUNT = 1000
/** Snapshots with values and times of their own, taken in turn. */
const SNAPSHOT_COUNT = 8
const RIVAL = `@msgpack/msgpack ${packageVersion('@msgpack/msgpack')}`

const random = seededRandom(SEED)
const names = Array.from(
  { length: METRIC_COUNT },
  (_, i) => `app.service.m${String(i).padStart(6, '0')}.requests`,
)
/** No whole numbers, which the library would write as integers. */
const values = Array.from({ length: SNAPSHOT_COUNT }, () =>
  Float64Array.from(names, () => random() * 1e6 + 0.5 ** 20),
)
const times = values.map((_, i) => 1_000_000_000 + i * 100_000_000)
const objects = values.map((row, i) => ({
  t: times[i]!,
  d: Object.fromEntries(names.map((name, j) => [name, row[j]!])),
}))

const template = new SnapshotTemplate(names)
const entries = template.blank()
const encoder = new msgpack.Encoder()
const decoder = new PacketDecoder()
const rivalDecoder = new msgpack.Decoder()

function encodeOurs(i: number): number {
  template.fill(entries, values[i]!)
  return template.head(BigInt(times[i]!), 'bare').length + entries.length
}

function decodeOurs(payload: Uint8Array): number {
  const packet = decoder.decode(payload)
  return packet.kind === 'snapshot' ? packet.values[METRIC_COUNT - 1]! : Number.NaN
}

function decodeTheirs(payload: Uint8Array): number {
  const { d } = rivalDecoder.decode(payload) as (typeof objects)[0]
  return d[names[METRIC_COUNT - 1]!]!
}

const payloads = objects.map((object) => encoder.encode(object))
for (const [i, payload] of payloads.entries()) verify(i, payload)

await ask({
  name: 'P5',
  asks: `How many scope snapshots of ${METRIC_COUNT} metrics does one core encode, and decode?`,
  data: `${SNAPSHOT_COUNT} snapshots of ${payloads[0]!.length} bytes, doubles of seed ${SEED}`,
  method: ["processor time in one process; the library's bytes and values are the same as ours"],
  unit: 'snapshots per processor second',
  remarks: [
    'encoding: values into the places of a template, as the server does for all its viewers',
    'decoding: along the bytes of the snapshot before, as the client does',
  ],

  async measure() {
    const rounds = await interleave(
      [
        contender('pentameter, encode', 20_000, encodeOurs),
        contender(`${RIVAL}, encode`, 1000, (i) => encoder.encodeSharedRef(objects[i]!).length),
        contender('pentameter, decode', 6000, (i) => decodeOurs(payloads[i]!)),
        contender(`${RIVAL}, decode`, 500, (i) => decodeTheirs(payloads[i]!)),
      ],
      WARM_UPS,
      ROUNDS,
    )
    const [ourEncode, theirEncode, ourDecode, theirDecode] = rounds
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts: [
        ratioOf(ourEncode!, theirEncode!, atLeast(60)),
        ratioOf(ourDecode!, theirDecode!, atLeast(25)),
      ],
      skipped: [],
    }
  },
})

/** Both write the same bytes, and read the same values from them. */
function verify(i: number, payload: Uint8Array): void {
  encodeOurs(i)
  const bytes = Buffer.concat([template.head(BigInt(times[i]!), 'bare'), entries])
  assert.equal(bytes.equals(payload), true, 'the encoded bytes differ')
  const packet = decoder.decode(payload)
  assert.equal(packet.kind, 'snapshot')
  if (packet.kind !== 'snapshot') return
  assert.deepEqual([...packet.values], [...values[i]!])
  assert.deepEqual(packet.names, names)
  assert.equal(decodeTheirs(payload), values[i]![METRIC_COUNT - 1])
}

/** @param act does one snapshot and returns something of it, so that none can be left out */
function contender(title: string, count: number, act: (i: number) => number): Contender {
  return {
    title,
    round() {
      const start = process.cpuUsage()
      let sum = 0
      for (let i = 0; i < count; i++) sum += act(i % SNAPSHOT_COUNT)
      const { user, system } = process.cpuUsage(start)
      assert.equal(Number.isFinite(sum), true)
      return count / ((user + system) / 1e6)
    },
  }
}
