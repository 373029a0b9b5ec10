/** A program that dials the port in its environment, as .NET does, and counts until it is ended. */
import type { TestContext } from 'node:test'
import { CounterStream } from './counter-stream.ts'
import { dialPort } from './fake-runtime.ts'

const stream = new CounterStream()
const { runtime } = dialPort(
  { after() {} } as unknown as TestContext,
  process.env.DOTNET_DiagnosticPorts!,
  { stream: stream.sum(0, 'hits', 1).take(), facts: { pid: String(process.pid) } },
)
let relMs = 0
setInterval(() => {
  if (runtime.sessions.length === 0) return
  relMs += 50
  runtime.send(stream.sum(relMs, 'hits', 1).take())
}, 50)
