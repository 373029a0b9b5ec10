/** A full screen as a job of a shell: Ctrl-Z and fg, and Ctrl-Z where no shell minds jobs. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, type TestContext, test } from 'node:test'
import { type HubProcess, PROGRAM, startHubProcess } from '../support/hub/hub-process.ts'
import { skip, spawnAtTerminal } from '../support/pseudo-terminal.ts'
import { TestTerminal } from '../support/test-terminal.ts'

let hub: HubProcess
let command = ''

before(async () => {
  hub = await startHubProcess('serve', '--ingest-workers', '0')
  command = `'${process.execPath}' '${PROGRAM}' top 127.0.0.1:${hub.listeners.http.port}`
})
after(() => hub.stop())

/** A line of sh at a terminal, and what waits until it has written something. */
function startAtTerminal(t: TestContext, line: string) {
  const terminal = new TestTerminal(80, 24)
  let wake = (): void => {}
  const { child, written } = spawnAtTerminal(t, line, terminal, () => wake())
  let from = 0
  /** Waits for a pattern behind what was waited for before. */
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve) => {
      wake = () => {
        const found = pattern.exec(written().slice(from))
        if (found === null) return
        from += found.index + found[0].length
        resolve()
      }
      wake()
    })
  return { child, terminal, until, press: (keys: string) => child.stdin.write(keys) }
}

test('Ctrl-Z stops what started it as well, and fg goes on', { skip }, async (t) => {
  const shell = startAtTerminal(t, 'PS1="ready> " bash --noprofile --norc -i')
  await shell.until(/ready> /s)
  // as npx, or a Node that hands over to another one, has it: the shell knows the parent alone
  shell.press(`sh -c "${command}; :"\n`)
  await shell.until(/live/s)
  shell.press('\x1a')
  await shell.until(/Stopped.*ready> /s)
  assert.equal(await shell.terminal.isAlternate(), false)
  shell.press('fg\n')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what the terminal is sent
  await shell.until(/\x1b\[\?1049h.*live/s)
  shell.press('q')
  await shell.until(/seen .*ready> /s)
  shell.press('exit\n')
  await once(shell.child, 'close')
})

test('Ctrl-Z where nothing can go on with it leaves the picture', { skip }, async (t) => {
  const alone = startAtTerminal(t, `exec ${command}`)
  await alone.until(/live/s)
  alone.press('\x1a')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what the terminal is sent
  await alone.until(/\x1b\[\?1049l.*\x1b\[\?1049h.*live/s)
  alone.press('q')
  await alone.until(/seen /s)
  await once(alone.child, 'close')
})
