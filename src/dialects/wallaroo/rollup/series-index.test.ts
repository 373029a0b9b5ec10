import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { FrameScanner } from '../codec/frame-scan.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'
import { notesOf } from '../spec.ts'
import { metricsBytes, SILENT } from '../test/frames.ts'
import { SeriesIndex } from './series-index.ts'

const RULES = { maxFrameBytes: 1_048_576, isConversation: false }

/** What a frame says, as a text. */
function textOf(frame: MetricsFrame): string {
  const { application, category, name, worker, pipeline, id, payloadSize, payloadHeader } = frame
  const names = [application, category, name, worker, pipeline, id, payloadSize, payloadHeader]
  return JSON.stringify([names, `${frame.total()}`, `${frame.endNs()}`, notesOf(frame.notes)])
}

/** What all frames say, each read by a scanner that has seen no other. */
function readAlone(frames: readonly Uint8Array[]): string[] {
  const texts: string[] = []
  for (const bytes of frames) {
    const metrics = (frame: MetricsFrame) => void texts.push(textOf(frame))
    new FrameScanner(RULES, { ...SILENT, metrics }).push(bytes)
  }
  return texts
}

/** The same by one scanner, whose series are kept; and how many frames began as expected. */
function readTogether(frames: readonly Uint8Array[], index = new SeriesIndex<string>()) {
  const texts: string[] = []
  let expected = 0
  const metrics = (frame: MetricsFrame): void => {
    if (frame.known !== undefined) expected++
    const { application, category, name, worker, pipeline } = frame
    const names = JSON.stringify([application, category, name, worker, pipeline])
    const found = index.find(frame)
    if (found === undefined) index.add(frame, names)
    else assert.equal(found, names)
    texts.push(textOf(frame))
  }
  new FrameScanner(RULES, { ...SILENT, metrics }).push(Buffer.concat(frames))
  return { texts, expected, index }
}

const fields = fc.record({
  name: fc.constantFrom('Check', 'Chek', 'Order', 'é', ''),
  worker: fc.constantFrom('w1', 'w2'),
  application: fc.constantFrom('shop', 'shopw'),
  id: fc.constantFrom(1, 2),
  bins: fc.dictionary(fc.nat({ max: 64 }).map(String), fc.constantFrom('1', '300', '4294967296')),
  end_ns: fc.constantFrom('1700000002000000000', '1700000004000000000'),
})

describe('an index of series', () => {
  it('reads any order of frames as if each were the first', () => {
    const frames = fc.array(fc.tuple(fields, fc.constantFrom('peer', 'document')), {
      maxLength: 40,
    })
    holds(
      fc.property(frames, (messages) => {
        const bytes = messages.map(([each, profile]) => metricsBytes(each, profile))
        const twice = [...bytes, ...bytes]
        assert.deepEqual(readTogether(twice).texts, readAlone(twice))
      }),
    )
  })

  it('expects series in the order in which they came before', () => {
    const lap = ['a', 'b', 'c'].map((name) => metricsBytes({ name }))
    assert.equal(
      readTogether([...lap, ...lap, ...lap]).expected,
      5,
      'all but the first lap and its end',
    )
    const { index } = readTogether(lap)
    assert.equal(readTogether(lap, index).expected, 2, 'of another connection, from its second on')
  })

  it('knows a series whose id has changed, and expects the new one', () => {
    const frames = [1, 1, 2, 2, 2].map((id) => metricsBytes({ id }))
    const { index, expected } = readTogether(frames)
    assert.equal(index.size, 1)
    assert.equal(expected, 2)
  })

  it('does not find a series that it has forgotten, though its frame is expected', () => {
    const index = new SeriesIndex<string>()
    const found: (string | undefined)[] = []
    const metrics = (frame: MetricsFrame): void => {
      found.push(index.find(frame))
      if (found.at(-1) === undefined) index.add(frame, `${frame.name} ${found.length}`)
    }
    const scanner = new FrameScanner(RULES, { ...SILENT, metrics })
    const lap = Buffer.concat(['a', 'b'].map((name) => metricsBytes({ name })))
    scanner.push(lap)
    scanner.push(lap)
    index.retain((value) => value.startsWith('b'))
    scanner.push(lap)
    assert.deepEqual(found, [undefined, undefined, 'a 1', 'b 2', undefined, 'b 2'])
    assert.equal(index.size, 2)
  })
})
