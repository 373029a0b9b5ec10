/**
 * Program: many Wallaroo workers in one process. Its argument is a WorkersLoad as JSON; every
 * message is a number of periods to send, answered when the system has taken the last byte.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { PERIOD_MS, setEnd, type WorkerStream, type WorkersLoad, workerStream } from './load.ts'

const load: WorkersLoad = JSON.parse(process.argv[2]!)
const { application, connections, seriesPerConnection, spreadMs, port } = load

interface Worker {
  readonly socket: Socket
  readonly stream: WorkerStream
  /** Of its sending within a period. */
  readonly offsetMs: number
}

const streams = Array.from({ length: connections }, (_, i) => {
  return workerStream(application, i, seriesPerConnection)
})
const workers: Worker[] = []
// one after another, so that each speaks as soon as it is connected
for (let i = 0; i < connections; i++) workers.push(await startWorker(i))

process.on('message', (periods: number) => void send(periods))
process.once('disconnect', () => process.exit(0))
process.send?.('ready')

async function startWorker(index: number): Promise<Worker> {
  const stream = streams[index]!
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  // at once: behind a silent connection there is a viewer
  socket.write(stream.greeting)
  return { socket, stream, offsetMs: (index * spreadMs) / connections }
}

async function send(periods: number): Promise<void> {
  const firstMs = (Math.floor(Date.now() / PERIOD_MS) + 1) * PERIOD_MS
  let latestMs = 0
  const each = workers.map(async ({ socket, stream, offsetMs }) => {
    for (let period = 0; period < periods; period++) {
      const endMs = firstMs + period * PERIOD_MS
      await wait(Math.max(0, endMs + offsetMs - Date.now()))
      setEnd(stream, endMs)
      await new Promise<void>((resolve, reject) => {
        socket.write(stream.windows, (error) => (error ? reject(error) : resolve()))
      })
      latestMs = Math.max(latestMs, Date.now() - endMs - offsetMs)
    }
  })
  await Promise.all(each)
  process.send?.({ latestMs })
}
