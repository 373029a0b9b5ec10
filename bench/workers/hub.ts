/** The programs of this folder, each in a process of its own, and what the hub says of itself. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { endWithUs, mustNotEnd } from '../receivers/receiver.ts'

/** What a hub can be asked. */
export type HubQuestion =
  | 'windows'
  | 'lines'
  | 'refused'
  | 'series'
  | 'closedMs'
  | 'loop'
  | 'messages'

/** Of its event loop and its process, since the last time that it was asked. */
export interface LoopFigures {
  readonly delayMsP50: number
  readonly delayMsP99: number
  readonly delayMsMax: number
  /** Turns of the loop by processor time, which other programs of the machine do not lengthen. */
  readonly turnMsP99: number
  readonly turnMsMax: number
  readonly cpuMs: number
  readonly wallMs: number
  /** All memory of the process at this moment. */
  readonly residentBytes: number
  /** What the live ring has of it. */
  readonly ringBytes: number
  /** Seconds since its start that were closed together with the one before. */
  readonly ticksMissed: number
}

/** What the model says of the computations of one application. */
export interface MessageTotals {
  readonly series: number
  /** Messages of the series that has least, and of that which has most. */
  readonly least: number
  readonly greatest: number
  readonly sum: number
}

/** By application; what has no place of its own is in that without a name. */
export type Messages = Readonly<Record<string, MessageTotals>>

export interface Program {
  ask<T>(message: unknown): Promise<T>
  stop(): Promise<void>
}

/** Runs a file of this folder; resolves with it and its first message. */
export async function run<T>(file: string, argument: unknown): Promise<[Program, T]> {
  const child = fork(join(import.meta.dirname, file), [JSON.stringify(argument)])
  endWithUs(child)
  const mayEnd = mustNotEnd(child, file)
  const first = await next<T>(child)
  const program: Program = {
    ask<A>(message: unknown): Promise<A> {
      const answer = next<A>(child)
      child.send(message as object)
      return answer
    },
    async stop() {
      mayEnd()
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
  return [program, first]
}

function next<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve) => child.once('message', (answer) => resolve(answer as T)))
}
