/** The list of processes, of folders that a test makes up. */
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../test/fake-runtime.ts'
import { findProcesses, processesAsJson, processesAsTable } from './processes.ts'

interface Made {
  readonly pid: number
  readonly name: string
  readonly program?: string
  readonly line: readonly string[]
  readonly start?: number
}

const START = 987
const SHOP = '/usr/share/dotnet/dotnet'

/** Makes sockets, and what the system says of their processes. */
function placesWith(t: TestContext, processes: readonly Made[]) {
  const temporary = temporaryFolder(t)
  const proc = temporaryFolder(t)
  for (const { pid, name, program, line, start = START } of processes) {
    writeFileSync(join(temporary, `dotnet-diagnostic-${pid}-${START}-socket`), '')
    const folder = join(proc, String(pid))
    mkdirSync(folder)
    const between = Array.from({ length: 19 }, () => '0').join(' ')
    writeFileSync(join(folder, 'stat'), `${pid} (${name}) ${between} ${start} 0`)
    writeFileSync(join(folder, 'cmdline'), line.map((word) => `${word}\0`).join(''))
    if (program !== undefined) symlinkSync(program, join(folder, 'exe'))
  }
  return { temporary, proc }
}

const PROCESSES: readonly Made[] = [
  { pid: 77, name: 'dotnet', program: SHOP, line: [SHOP, 'Shop.dll', '--port', '80'] },
  { pid: 5, name: 'dotnet', program: SHOP, line: ['dotnet', 'run'] },
  { pid: 123_456, name: 'Depot', program: '/srv/Depot', line: ['/srv/Depot'] },
  { pid: 9, name: 'other', line: [] },
  { pid: 6, name: 'gone', program: SHOP, line: [SHOP], start: START + 1 },
]

test('processes stand by name, then id: their program, and its arguments without it', async (t) => {
  const list = await findProcesses(placesWith(t, PROCESSES))
  assert.deepEqual(
    list.processes.map(({ socket: _, ...each }) => Object.values(each)),
    [
      [123_456, 'Depot', '/srv/Depot', ''],
      [5, 'dotnet', SHOP, 'dotnet run'],
      [77, 'dotnet', SHOP, 'Shop.dll --port 80'],
      [9, 'other', '', ''],
    ],
  )
  assert.equal(list.stale, 1, 'the socket of a process that is gone')
})

test('the table has the columns of dotnet-counters, cut in front', async (t) => {
  const list = await findProcesses(placesWith(t, PROCESSES.slice(0, 4)))
  assert.equal(
    processesAsTable(list),
    ' 123456  Depot   /srv/Depot\n' +
      '      5  dotnet  /usr/share/dotnet/dotnet                    dotnet run\n' +
      '     77  dotnet  /usr/share/dotnet/dotnet                    Shop.dll --port 80\n' +
      '      9  other   [Elevated process - cannot determine path]\n',
  )
  const [, row] = processesAsTable(list, 80).split('\n')
  assert.equal(row, '      5  dotnet  /share/dotnet/dotnet  dotnet run')
})

test('JSON is a line for each process, with its socket', async (t) => {
  const places = placesWith(t, PROCESSES.slice(2, 3))
  const line = JSON.parse(processesAsJson(await findProcesses(places)))
  const socket = join(places.temporary, `dotnet-diagnostic-123456-${START}-socket`)
  const facts = { pid: 123_456, name: 'Depot', path: '/srv/Depot', arguments: '', socket }
  assert.deepEqual(line, facts)
})

test('without a process it says so', async (t) => {
  const list = await findProcesses(placesWith(t, []))
  assert.equal(processesAsTable(list), 'No supported .NET processes were found\n')
  assert.equal(processesAsJson(list), '')
})

test('what a process has for arguments cannot reach the terminal as it is', async (t) => {
  const line = ['/srv/a', '\x1b[2J']
  const places = placesWith(t, [{ pid: 7, name: 'a', program: '/srv/a', line }])
  assert.ok(!processesAsTable(await findProcesses(places)).includes('\x1b'))
})
