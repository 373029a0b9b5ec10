/**
 * Histograms as the live ring keeps them (model/packed/packed-histogram.ts), which values of peers
 * shape: what was packed is unpacked, wherever in the bytes it begins. An input is values of eight
 * bytes each, big-endian doubles.
 */

import { Histogram } from '../../../src/model/index.ts'
import {
  HistogramPacker,
  type PackedHistograms,
} from '../../../src/model/packed/packed-histogram.ts'
import { ByteBuilder } from '../engine/bytes.ts'
import { Transcript } from '../engine/transcript.ts'
import { double } from '../engine/values.ts'
import type { FuzzTarget } from '../target.ts'

const out = new ByteBuilder()
const [found, wanted] = [new Transcript(), new Transcript()]

function histogramOf(bytes: Uint8Array): Histogram {
  const histogram = new Histogram((bytes[0] ?? 0) % 9)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const value = view.getFloat64(at)
    if (Number.isFinite(value)) histogram.record(value)
  }
  return histogram
}

function say(said: Transcript, histogram: Histogram): void {
  const { scale, count, zeroCount, zeroThreshold, sum, min, max, overflow } = histogram
  said.add(scale).add(count).add(zeroCount).add(zeroThreshold).add(sum).add(min).add(max)
  said.add(overflow)
  for (const run of [histogram.positive, histogram.negative]) {
    run.forEach((index, each) => {
      said.add(index).add(each)
    })
  }
}

type Read = (packed: PackedHistograms, place: number) => Histogram

const read: Read = (packed, place) => packed.read(place)

function check(bytes: Uint8Array, unpack: Read): void {
  const packer = new HistogramPacker()
  const whole = histogramOf(bytes)
  const half = histogramOf(bytes.subarray(bytes.length >> 1))
  const places = [half, whole, half].map((each) => packer.add(each))
  const packed = packer.packed()
  for (const [i, each] of [half, whole, half].entries()) {
    found.reset()
    wanted.reset()
    say(found, unpack(packed, places[i]!))
    say(wanted, each)
    found.mustEqual(wanted, 'unpacked and packed')
  }
}

export const histograms: FuzzTarget = {
  name: 'histograms',
  seeds: () => [out.reset().f64(0).f64(1.5).f64(-3).f64(1e300).bytes.slice(), new Uint8Array(0)],

  generate(random) {
    out.reset(random.below(4))
    for (let left = random.below(12); left > 0; left--) out.f64(double(random))
    return { bytes: out.bytes }
  },

  run: (bytes) => check(bytes, read),

  canary: {
    fault: 'the smallest value gets lost',
    run: (bytes) =>
      check(bytes, (packed, place) => {
        const histogram = packed.read(place)
        histogram.min = Number.NaN
        return histogram
      }),
  },
}
