import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Frame, FrameBuilder } from './frame.ts'
import { type Sink, SinkQueue } from './sinks.ts'

const frame = (second: number): Frame => new FrameBuilder().build(second * 1000, 1)

class GatedSink implements Sink {
  readonly name = 'gated'
  readonly seen: number[] = []
  isClosed = false
  #gate = Promise.withResolvers<void>()

  async deliver({ endMs }: Frame): Promise<void> {
    await this.#gate.promise
    if (endMs === 3000) throw new Error('planted')
    this.seen.push(endMs / 1000)
  }

  open(): void {
    this.#gate.resolve()
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

test('a slow sink loses its oldest waiting frames, which is told, and no more', async () => {
  const sink = new GatedSink()
  const events: string[] = []
  const queue = new SinkQueue(
    sink,
    {
      dropped: (name) => events.push(`dropped ${name}`),
      failed: (name, error) => events.push(`failed ${name} ${(error as Error).message}`),
    },
    3,
  )
  for (let second = 1; second <= 6; second++) queue.offer(frame(second))
  assert.equal(queue.length, 3)
  assert.deepEqual(events, ['dropped gated', 'dropped gated'])
  sink.open()
  await queue.close()
  assert.deepEqual(sink.seen, [1, 4, 5, 6])
  assert.equal(sink.isClosed, true)
})

test('a frame that a sink refuses is told, and the next one is delivered', async () => {
  const sink = new GatedSink()
  const failures: unknown[] = []
  const queue = new SinkQueue(sink, {
    dropped: () => {},
    failed: (_, error) => failures.push(error),
  })
  sink.open()
  for (const second of [2, 3, 4]) queue.offer(frame(second))
  await queue.close()
  assert.deepEqual(sink.seen, [2, 4])
  assert.equal(failures.length, 1)
})
