/** Programs under measurement: processes of their own that take in what is sent to them. */
import { type ChildProcess, fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Syntax } from '../load/measurements.ts'

export interface Program {
  readonly title: string
  readonly pid: number
  readonly udpPort: number
  /** 0 where it takes no connections. */
  readonly tcpPort: number
  /** What it has taken in since the start, counted; undefined where the program does not say. */
  received(): Promise<number | undefined>
  /** Tells it what it has got besides, where only its end says what it has taken in. */
  expect?(count: number): void
  /** Ends the process. @throws when what it knows at the end is not what it was sent */
  stop(): Promise<void>
}

/** One of ours, which answers every message with a number. */
export interface AskedProgram extends Program {
  ask(question: string): Promise<number>
}

/** One that takes in lines of text. */
export interface Receiver extends Program {
  readonly syntax: Syntax
}

/** What a receiver of ours tells once it listens; then it answers every message with a count. */
export interface Ports {
  readonly udpPort: number
  readonly tcpPort: number
}

/** Runs a file of this folder in this Node as a receiver. */
export async function forkReceiver(
  title: string,
  file: string,
  syntax: Syntax,
  args: readonly string[] = [],
): Promise<Receiver & AskedProgram> {
  return { ...(await forkProgram(title, file, args)), syntax }
}

/** Runs a file of this folder in this Node. */
export async function forkProgram(
  title: string,
  file: string,
  args: readonly string[] = [],
): Promise<AskedProgram> {
  const child = fork(file, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  endWithUs(child)
  const mayEnd = mustNotEnd(child, title)
  const ports = await answerOf<Ports>(child)
  const ask = (question: string): Promise<number> => {
    const count = answerOf<number>(child)
    child.send(question)
    return count
  }
  return {
    title,
    pid: child.pid!,
    ...ports,
    received: () => ask('received'),
    ask,
    async stop() {
      mayEnd()
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (answer) => resolve(answer as T)))
}

/** A held process ignores everything else, so it is killed; nothing outlives the bench. */
export function endWithUs(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.removeListener('exit', kill))
}

/**
 * Ends the bench where a program ends by itself: whoever waits for it, or for what it sends, would
 * wait forever.
 * @returns tells that it may end from now on
 */
export function mustNotEnd(child: ChildProcess, title: string): () => void {
  const onExit = (code: number | null, signal: string | null): never => {
    throw new Error(`${title} ended early: ${signal ?? code}`)
  }
  child.once('exit', onExit)
  return () => child.removeListener('exit', onExit)
}

/** A loopback port that is free for both transports, for programs that need a number. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const socket = createSocket('udp4')
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  socket.close()
  server.close()
  await once(server, 'close')
  return port
}
