/**
 * Applications and viewers that come and go. Every visitor has a name of its own, that is never
 * used again; it expires when they are gone.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { EventCountersClient } from '../../../src/dialects/eventcounters/client.ts'
import type { SeriesInfo } from '../../../src/http/api.ts'
import type { Target } from '../target.ts'
import { type Client, packetOf, pause, type Surroundings } from './client.ts'
import { end, open, write } from './connection.ts'
import { PageStream } from './page-stream.ts'

const PATIENCE_MS = 6000
const POLL_MS = 100
/** The second in which a name was first heard of has ended, and what a viewer gets is later. */
const NEXT_SECOND_MS = 2200

/** Comes, sends a known number of lines, and goes, orderly or with a reset in the middle. */
export const visitors: Client = async (surroundings, signal) => {
  const { target, ledger, gate, random } = surroundings
  while (!signal.aborted) {
    const name = `visit-${random.next()}`
    const count = 1 + random.below(200)
    const counted = await gate.through(async () => {
      await send(surroundings, name, count)
      const seen = await waitFor(async () => (await target.named(name))?.current, count)
      ledger.add('visit', count)
      return seen
    })
    ledger.add('visits', 1)
    if (counted !== count) {
      ledger.add('visits miscounted', 1)
      ledger.faults.push(`${clock()} ${name}: ${counted} counted of ${count}`)
    }
    await pause(random.below(500), signal)
  }
}

function clock(): string {
  return new Date().toISOString()
}

async function send({ target, random }: Surroundings, name: string, count: number): Promise<void> {
  const socket = await open(target.text)
  await write(socket, packetOf(Array(count).fill(`${name}:1|m`)))
  if (random.below(2) === 0) {
    await end(socket)
    return
  }
  // its whole packets have been read when the count is right; then it breaks off
  await waitFor(async () => (await target.named(name))?.current, count)
  await write(socket, '1|500\nsoak.unfinished:1|m\n')
  socket.resetAndDestroy()
}

/** Viewers of one name: each gets exactly what is sent while it looks. */
export const visitingViewers: Client = async (surroundings, signal) => {
  const { ledger, random } = surroundings
  while (!signal.aborted) {
    const name = `view-${random.next()}`
    const record = await introduce(surroundings, name, signal)
    if (record !== undefined && !signal.aborted) {
      const count = 1 + random.below(100)
      const told = await look(surroundings, record, count)
      ledger.add('views', told.length)
      ledger.add('views miscounted', told.filter((each) => each !== count).length)
      if (told.some((each) => each !== count)) {
        ledger.faults.push(`${clock()} ${name}: page and session told ${told} of ${count}`)
      }
    }
    await pause(random.below(1000), signal)
  }
}

/** Makes a name known with one line, and waits until the second of that line has ended. */
async function introduce(
  { target, ledger, gate }: Surroundings,
  name: string,
  signal: AbortSignal,
): Promise<SeriesInfo | undefined> {
  await gate.through(async () => {
    const socket = await open(target.text)
    await write(socket, packetOf([`${name}:1|m`]))
    ledger.add('view', 1)
    await end(socket)
    await waitFor(async () => (await target.named(name))?.current, 1)
  })
  await pause(NEXT_SECOND_MS, signal)
  return target.named(name)
}

/** @returns what a stream of the page and a counter session were told of what was sent meanwhile */
async function look(
  surroundings: Surroundings,
  { id, name }: SeriesInfo,
  count: number,
): Promise<readonly number[]> {
  const { target, ledger, gate } = surroundings
  const page = await PageStream.open(target, [id], 1)
  const session = await openSession(target, name)
  // the windows of a session begin with the next second
  await wait(NEXT_SECOND_MS)
  await gate.through(async () => {
    const socket = await open(target.text)
    await write(socket, packetOf(Array(count).fill(`${name}:1|m`)))
    ledger.add('view', count)
    await end(socket)
  })
  const told = [
    await waitFor(async () => page.countOf(id), count),
    await waitFor(async () => session.sum(), count),
  ]
  page.close()
  await session.close()
  return told
}

async function openSession(target: Target, name: string) {
  let sum = 0
  const opened = Promise.withResolvers<void>()
  const client = new EventCountersClient({
    ...{ url: target.base, intervalMs: 1000, counters: `statshero[${name}]` },
    onOpen: () => opened.resolve(),
    onWindow: ({ statistics }) => {
      sum += statistics.kind === 'sum' ? statistics.increment : 0
    },
  })
  await client.start()
  await opened.promise
  return { sum: () => sum, close: () => client.close() }
}

/** Asks until the answer is what it must be. @returns the last answer */
async function waitFor(
  ask: () => Promise<number | string | null | undefined>,
  wanted: number,
): Promise<number> {
  const endMs = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = Number((await ask()) ?? 0)
    if (seen >= wanted || performance.now() > endMs) return seen
    await wait(POLL_MS)
  }
}
