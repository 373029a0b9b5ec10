/** Processes as the file system tells of them. */
import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { temporaryFolder } from '../test/fake-runtime.ts'
import { findProcess, listProcesses } from './processes.ts'

/** A machine of a test: sockets in one folder, processes in another. */
function machine(t: TestContext) {
  const root = temporaryFolder(t)
  const places = { temporary: join(root, 'tmp'), proc: join(root, 'proc') }
  mkdirSync(places.temporary)
  mkdirSync(places.proc)
  const socket = (name: string, folder = places.temporary): string => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), '')
    return join(folder, name)
  }
  const process = (
    pid: number,
    comm: string,
    start: number,
    files: Record<string, string> = {},
  ) => {
    const folder = join(places.proc, String(pid))
    mkdirSync(folder)
    const fields = `S ${Array.from({ length: 18 }, (_, i) => i).join(' ')} ${start} 7 8`
    writeFileSync(join(folder, 'stat'), `${pid} (${comm}) ${fields}\n`)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return folder
  }
  return { places, socket, process }
}

/** Id that no process has: it is beyond what a system gives. */
const NO_PID = 2_000_000_001

suite('the list of processes', () => {
  test('has those whose socket lies in the folder and who live, stale ones last', async (t) => {
    const { places, socket, process } = machine(t)
    process(20, 'dotnet', 200)
    process(3, 'web (prod) x', 30)
    process(40, 'other', 401)
    const paths = [
      socket('dotnet-diagnostic-20-200-socket'),
      socket('dotnet-diagnostic-3-30-socket'),
      socket('dotnet-diagnostic-40-400-socket'),
      socket(`dotnet-diagnostic-${NO_PID}-1-socket`),
    ]
    for (const other of [
      'dotnet-diagnostic-20-200-socket.bak',
      'dotnet-diagnostic--1-socket',
      'x',
    ]) {
      socket(other)
    }
    const list = await listProcesses(places)
    assert.deepEqual(
      list.map(({ pid, name, isStale }) => [pid, name, isStale]),
      [
        [3, 'web (prod) x', false],
        [20, 'dotnet', false],
        [40, 'other', true],
        [NO_PID, '', true],
      ],
    )
    assert.deepEqual(
      list.map(({ path }) => path),
      [1, 0, 2, 3].map((i) => paths[i]),
    )
  })

  test('has one socket of each process: that of its start, else the newest', async (t) => {
    const { places, socket, process } = machine(t)
    process(20, 'dotnet', 200)
    const own = socket('dotnet-diagnostic-20-200-socket')
    const left = socket('dotnet-diagnostic-20-900-socket')
    utimesSync(own, 1, 1)
    utimesSync(left, 2, 2)
    assert.deepEqual(
      (await listProcesses(places)).map(({ path }) => path),
      [own],
    )
    const [old, newer] = [5, 6].map((key) => {
      const path = socket(`dotnet-diagnostic-${NO_PID}-${key}-socket`)
      utimesSync(path, key, key)
      return path
    })
    const stale = (await listProcesses(places)).at(-1)!
    assert.deepEqual([stale.path, stale.path === old], [newer, false])
  })

  test('gives names whole that the system has cut', async (t) => {
    const { places, socket, process } = machine(t)
    const name = 'Company.Product.Web'
    process(7, name.slice(0, 15), 70, { cmdline: `/opt/app/${name}\0--urls\0x` })
    process(8, 'exactly-fifteen', 80, { cmdline: '/usr/bin/dotnet\0App.dll' })
    socket('dotnet-diagnostic-7-70-socket')
    socket('dotnet-diagnostic-8-80-socket')
    const names = (await listProcesses(places)).map((each) => each.name)
    assert.deepEqual(names, [name, 'exactly-fifteen'])
  })

  test('of a folder that is not there is empty', async () => {
    assert.deepEqual(await listProcesses({ temporary: '/nowhere/at/all' }), [])
  })
})

suite('one process', () => {
  test('is found in its own temporary folder', async (t) => {
    const { places, socket, process } = machine(t)
    const folder = join(places.proc, '..', 'other')
    process(20, 'dotnet', 200, { environ: `A=1\0TMPDIR=${folder}\0B=2` })
    const path = socket('dotnet-diagnostic-20-200-socket', folder)
    assert.equal((await findProcess(20, places))?.path, path)
    assert.equal(await findProcess(21, places), undefined)
  })

  test('is found inside of its container, under the id that it has there', async (t) => {
    const { places, socket, process } = machine(t)
    const folder = process(20, 'dotnet', 200, {
      ...{ environ: 'TMPDIR=/tmp/own', status: 'Name:\tdotnet\nNSpid:\t20\t1\n' },
    })
    const path = socket('dotnet-diagnostic-1-200-socket', join(folder, 'root/tmp/own'))
    const found = await findProcess(20, places)
    assert.deepEqual([found?.path, found?.pid, found?.isStale], [path, 20, false])
  })

  test('that left a socket behind is stale, also when another process has its id', async (t) => {
    const { places, socket, process } = machine(t)
    socket(`dotnet-diagnostic-${NO_PID}-1-socket`)
    assert.equal((await findProcess(NO_PID, places))?.isStale, true)
    process(20, 'dotnet', 201)
    socket('dotnet-diagnostic-20-200-socket')
    assert.equal((await findProcess(20, places))?.isStale, true)
  })
})
