/** A hub in a test's hand, over HTTP, and a terminal without glass for commands that watch it. */
import type { TestContext } from 'node:test'
import { parseHub } from '../../src/terminal/hub/address.ts'
import { connectHub, type Hub } from '../../src/terminal/hub/connect.ts'
import type { TerminalParts } from '../../src/terminal/session.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { type RunningServer, serve } from './http-client.ts'
import { FakeHubView } from './hub/fake-hub-view.ts'
import { TestInput, TestProcess, TestTerminal } from './test-terminal.ts'

export interface WatchedHub {
  readonly view: FakeHubView
  readonly server: RunningServer
  readonly hub: Hub
}

export async function watchedHub(t: TestContext): Promise<WatchedHub> {
  const view = new FakeHubView()
  const server = await serve(t, { view })
  return { view, server, hub: await connectHub(parseHub(`127.0.0.1:${server.port}`)) }
}

/** Command at a terminal, until the test ends it. */
export class WatchingCommand {
  readonly terminal: TestTerminal
  readonly input = new TestInput()
  readonly process = new TestProcess()
  readonly done: Promise<void>

  constructor(
    t: TestContext,
    [columns, rows]: readonly [columns: number, rows: number],
    run: (parts: TerminalParts) => Promise<void>,
  ) {
    this.terminal = new TestTerminal(columns, rows)
    const { input, terminal: output, process } = this
    this.done = run({ input, output, process, color: 'none', clock: systemClock })
    t.after(async () => {
      this.process.emit('SIGTERM')
      await this.done
    })
  }

  /** Waits for a picture with this in it, and gives its rows. */
  async until(wanted: RegExp): Promise<string[]> {
    for (;;) {
      const lines = await this.terminal.lines()
      if (wanted.test(lines.join('\n'))) return lines
      await new Promise<void>((resolve) => setTimeout(resolve, 5))
    }
  }

  /** Lets what is under way go on: requests, answers, a picture. */
  async idle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  /** Presses keys, and gives what is shown then. */
  async press(keys: string): Promise<string[]> {
    this.input.press(keys)
    return this.terminal.lines()
  }
}
